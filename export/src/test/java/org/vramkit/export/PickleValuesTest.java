package org.vramkit.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A pickle")
class PickleValuesTest {
  private interface Body {
    void write(ValueWriter out) throws IOException;
  }

  private static byte[] pickled(Body body) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PickleValues out = new PickleValues(bytes);
    body.write(out);
    out.finish();
    return bytes.toByteArray();
  }

  @Test
  @DisplayName("22.2 has numbers of every length")
  void numbers() throws IOException {
    List<Long> numbers = new ArrayList<>(List.of(0L, Long.MAX_VALUE, Long.MIN_VALUE));
    for (int bit = 0; bit < 63; bit++) {
      for (long near = -1; near <= 1; near++) {
        numbers.add((1L << bit) + near);
        numbers.add(-(1L << bit) + near);
      }
    }
    byte[] bytes =
        pickled(
            out -> {
              out.beginList();
              for (long each : numbers) {
                out.number(each);
              }
              out.endList();
            });
    assertEquals(numbers, Unpickled.read(bytes));
    assertEquals(2, Unpickled.protocolOf(bytes));
  }

  @Test
  @DisplayName("22.2 has lists of any length, nested, and dictionaries")
  void containers() throws IOException {
    for (int length : new int[] {0, 1, 999, 1000, 1001, 2500}) {
      byte[] bytes =
          pickled(
              out -> {
                out.beginDict();
                out.key("items");
                out.beginList();
                for (int i = 0; i < length; i++) {
                  out.beginDict();
                  out.field("number", i);
                  out.key("pair");
                  out.pair(i, -i);
                  out.key("even");
                  out.flag(i % 2 == 0);
                  out.endDict();
                }
                out.endList();
                out.key("none");
                out.beginDict();
                out.endDict();
                out.endDict();
              });
      List<Map<String, Object>> items = new ArrayList<>();
      for (long i = 0; i < length; i++) {
        items.add(Map.of("number", i, "pair", List.of(i, -i), "even", i % 2 == 0));
      }
      assertEquals(Map.of("items", items, "none", Map.of()), Unpickled.read(bytes));
    }
  }

  @Test
  @DisplayName("22.2 writes a text and a stack once, and remembers a bounded number")
  void shared() throws IOException {
    List<StackTraceElement> stack =
        List.of(
            new StackTraceElement("a.B", "c", "B.java", 3),
            new StackTraceElement("a.B", "d", null, -2));
    byte[] bytes =
        pickled(
            out -> {
              out.beginList();
              out.text("ünïcode \uD83D\uDE80");
              for (int i = 0; i < 70_000; i++) {
                out.text("text " + i);
              }
              for (int i = 0; i < 1000; i++) {
                out.text("ünïcode \uD83D\uDE80");
              }
              out.endList();
            });
    List<?> texts = (List<?>) Unpickled.read(bytes);
    assertEquals(71_001, texts.size());
    assertEquals("text 69999", texts.get(70_000));
    assertEquals("ünïcode \uD83D\uDE80", texts.get(71_000));
    assertSame(texts.get(0), texts.get(71_000));
    byte[] stacks =
        pickled(
            out -> {
              out.beginList();
              for (int i = 0; i < 1000; i++) {
                out.stack(stack);
              }
              out.stack(stack.subList(1, 2));
              out.endList();
            });
    List<?> read = (List<?>) Unpickled.read(stacks);
    assertEquals(
        List.of(
            Map.of("filename", "B.java", "line", 3L, "name", "a.B.c"),
            Map.of("filename", "unknown", "line", 0L, "name", "a.B.d")),
        read.get(0));
    assertSame(read.get(0), read.get(999));
    assertSame(((List<?>) read.get(0)).get(1), ((List<?>) read.get(1000)).get(0));
    assertTrue(stacks.length < 2300, "bytes: " + stacks.length);
  }
}
