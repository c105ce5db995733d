package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

@DisplayName("41.1 A variation of a recorded program")
class VariationTest {
  private static final Trace RECORDED = Traces.read(Path.of("..", "traces", "serve.csv.gz"));

  @Test
  @DisplayName("of number 0 is the recording itself")
  void recording() {
    assertSame(RECORDED, RECORDED.vary(0));
  }

  @RepeatedTest(20)
  @DisplayName("has the same events in the same order, and figures of its own sizes and times")
  void sameProgram(RepetitionInfo repetition) {
    int number = repetition.getCurrentRepetition();
    Trace varied = RECORDED.vary(number);
    assertEquals(RECORDED.getEventCount(), varied.getEventCount(), "variation " + number);
    assertEquals(RECORDED.getStreamCount(), varied.getStreamCount());
    long live = 0;
    long peak = 0;
    long before = 0;
    for (int event = 0; event < varied.getEventCount(); event++) {
      assertEquals(RECORDED.getAllocation(event), varied.getAllocation(event));
      assertEquals(RECORDED.isAllocation(event), varied.isAllocation(event));
      long size = varied.getSize(varied.getAllocation(event));
      live += varied.isAllocation(event) ? size : -size;
      peak = Math.max(peak, live);
      assertTrue(varied.getNanos(event) >= before, "times never go back");
      before = varied.getNanos(event);
    }
    assertEquals(peak, varied.getRequestedPeakBytes(), "variation " + number);
  }

  @Test
  @DisplayName("has sizes within 15 % and times within 20 %, over the whole range")
  void range() {
    double smallest = 1;
    double largest = 1;
    double fastest = 1;
    double slowest = 1;
    for (int number = 1; number <= 50; number++) {
      Trace varied = RECORDED.vary(number);
      for (int allocation = 0; allocation < varied.getAllocationCount(); allocation++) {
        if (RECORDED.getSize(allocation) >= 1000) {
          double factor = (double) varied.getSize(allocation) / RECORDED.getSize(allocation);
          smallest = Math.min(smallest, factor);
          largest = Math.max(largest, factor);
        }
      }
      int last = varied.getEventCount() - 1;
      double factor = (double) varied.getNanos(last) / RECORDED.getNanos(last);
      fastest = Math.min(fastest, factor);
      slowest = Math.max(slowest, factor);
    }
    assertEquals(0.85, smallest, 0.001);
    assertEquals(1.15, largest, 0.001);
    assertEquals(0.8, fastest, 0.05);
    assertEquals(1.2, slowest, 0.05);
  }

  @Test
  @DisplayName("keeps equal sizes equal, because they stem from the same shape")
  void equalSizes() {
    Trace varied = RECORDED.vary(3);
    Map<Long, Long> drawn = new HashMap<>();
    for (int allocation = 0; allocation < varied.getAllocationCount(); allocation++) {
      long size = varied.getSize(allocation);
      Long known = drawn.putIfAbsent(RECORDED.getSize(allocation), size);
      assertEquals(size, known == null ? size : known);
    }
    assertTrue(drawn.size() > 10, drawn.toString());
  }

  @Test
  @DisplayName("depends only on its number")
  void seeded() {
    assertEquals(
        RECORDED.vary(7).getRequestedPeakBytes(), RECORDED.vary(7).getRequestedPeakBytes());
    Set<Long> peaks = new HashSet<>();
    for (int number = 0; number < 100; number++) {
      peaks.add(RECORDED.vary(number).getRequestedPeakBytes());
    }
    assertEquals(100, peaks.size());
  }
}
