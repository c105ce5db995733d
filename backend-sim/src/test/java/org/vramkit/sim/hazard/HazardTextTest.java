package org.vramkit.sim.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Reports as text")
class HazardTextTest {
  private static final int SCREEN = 40;

  @Test
  @DisplayName("A report with everything in it fits on one screen, with six frames for each access")
  void oneScreen() {
    String text = ReportSamples.full().toString();
    assertTrue(text.lines().count() <= SCREEN, text);
    List<String> lines = text.lines().toList();
    int later = lines.indexOf(lines.stream().filter(l -> l.startsWith("  later")).toList().get(0));
    assertEquals(6, lines.subList(later, lines.size()).stream().filter(this::isFrame).count());
  }

  private boolean isFrame(String line) {
    return line.strip().startsWith("at ");
  }

  @Test
  @DisplayName(
      "The text says what it takes to run again, whose memory, what is missing, where next")
  void everyField() {
    String text = ReportSamples.full().toString();
    for (String part :
        List.of(
            "EARLY_REUSE: memory was allocated again",
            "seed -9223372036854775808, schedule priorities:3, operation 55, device 1",
            "block 7 \"weights",
            "block 3 \"old\"",
            "offset 512",
            "#33 kernel read on stream 33 by thread worker-33: read",
            "#55 pool allocate",
            "an order",
            "one that is too early",
            "a fix",
            "docs/simulator.md#host-threads")) {
      assertTrue(text.contains(part), part + " in " + text);
    }
  }

  @Test
  @DisplayName("A report about no memory has no lines about memory")
  void noMemory() {
    String text = ReportSamples.bare().toString();
    assertFalse(text.contains("memory "), text);
    assertFalse(text.contains("bytes"), text);
  }

  @Test
  @DisplayName("The allocation is not printed twice if it is one of the two accesses")
  void toldOnce() {
    HazardReport full = ReportSamples.full();
    Access found = full.later();
    Owner memory = new Owner(7, "block", null, 0x1000, 440, found, null);
    HazardReport report =
        new HazardReport(
            full.code(),
            full.run(),
            full.device(),
            memory,
            full.previous(),
            full.address(),
            full.bytes(),
            full.earlier(),
            found,
            full.missing(),
            full.nearest(),
            full.remedy(),
            full.link());
    assertEquals(1, report.toString().lines().filter(line -> line.contains("#55 ")).count());
  }

  @Test
  @DisplayName("A stack begins with the user's code, not with the library's")
  void userFramesFirst() {
    List<StackTraceElement> stack = new ArrayList<>();
    for (String name : List.of("pool.caching.CachingAllocator", "pool.decorator.Limit")) {
      stack.add(new StackTraceElement("org.vramkit." + name, "allocate", "A.java", 1));
    }
    stack.addAll(ReportSamples.stack());
    assertEquals(ReportSamples.stack().subList(0, 6), Frames.ofUser(stack, 6));
  }

  @Test
  @DisplayName("Tests of this project are users; where there is no user, the library is shown")
  void testsAreUsers() {
    StackTraceElement test = new StackTraceElement("org.vramkit.sim.OrderTest", "a", "O.java", 1);
    StackTraceElement own = new StackTraceElement("org.vramkit.pool.Pool", "a", "P.java", 1);
    StackTraceElement runner = new StackTraceElement("org.junit.RunnerTest", "a", "R.java", 1);
    assertEquals(List.of(test), Frames.ofUser(List.of(own, test, runner), 6));
    assertEquals(List.of(own, own), Frames.ofUser(Collections.nCopies(3, own), 2));
  }
}
