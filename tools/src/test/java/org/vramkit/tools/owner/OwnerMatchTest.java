package org.vramkit.tools.owner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The owners of two recordings match")
class OwnerMatchTest {
  /** Matches as {@code before=after}, in order; {@code -} stands for none. */
  private static List<String> match(List<String> before, List<String> after) {
    return OwnerMatch.of(before, after).stream()
        .map(
            pair ->
                (pair.before() < 0 ? "-" : before.get(pair.before()))
                    + "="
                    + (pair.after() < 0 ? "-" : after.get(pair.after())))
        .sorted()
        .toList();
  }

  @Test
  @DisplayName("if they are the same, whether a frame or not")
  void same() {
    List<String> all = List.of("no stack", "f(a.py:1)", "f(a.py:2)", "a.B.c(B.java)");
    assertEquals(
        List.of(
            "a.B.c(B.java)=a.B.c(B.java)",
            "f(a.py:1)=f(a.py:1)",
            "f(a.py:2)=f(a.py:2)",
            "no stack=no stack"),
        match(all, all));
  }

  @Test
  @DisplayName("after the lines of their function have moved, even onto lines of others")
  void moved() {
    assertEquals(
        List.of("f(a.py:1)=f(a.py:3)", "f(a.py:3)=f(a.py:5)"),
        match(List.of("f(a.py:1)", "f(a.py:3)"), List.of("f(a.py:3)", "f(a.py:5)")));
  }

  @Test
  @DisplayName("in order, if a line between them is new and allocates nothing")
  void between() {
    assertEquals(
        List.of("f(a.py:1)=f(a.py:1)", "f(a.py:3)=f(a.py:4)"),
        match(List.of("f(a.py:1)", "f(a.py:3)"), List.of("f(a.py:1)", "f(a.py:4)")));
  }

  @Test
  @DisplayName("with new and gone ones left")
  void newAndGone() {
    assertEquals(
        List.of("-=f(a.py:9)", "f(a.py:1)=f(a.py:2)", "f(a.py:3)=f(a.py:4)", "g(a.py:5)=-"),
        match(
            List.of("f(a.py:1)", "f(a.py:3)", "g(a.py:5)"),
            List.of("f(a.py:2)", "f(a.py:4)", "f(a.py:9)")));
  }

  @Test
  @DisplayName("in another checkout, and with other numbers of lambdas")
  void elsewhere() {
    assertEquals(
        List.of("f(/home/a/x.py:1)=f(/ci/x.py:1)"),
        match(List.of("f(/home/a/x.py:1)"), List.of("f(/ci/x.py:1)")));
    assertEquals(
        List.of("a.B.lambda$c$0(B.java:1)=a.B.lambda$c$7(B.java:4)"),
        match(List.of("a.B.lambda$c$0(B.java:1)"), List.of("a.B.lambda$c$7(B.java:4)")));
  }

  @Test
  @DisplayName("without comparing each line of a generated function with each other")
  void manyLines() {
    List<String> lines = IntStream.range(0, 30_000).mapToObj(i -> "f(a.py:" + i + ")").toList();
    assertEquals(30_000, match(lines, lines).size());
  }
}
