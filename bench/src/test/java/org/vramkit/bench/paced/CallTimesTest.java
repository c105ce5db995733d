package org.vramkit.bench.paced;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("18.5 Times of calls")
class CallTimesTest {

  @Test
  @DisplayName("are summarised as percentiles, a mean and a share of the passes' time")
  void figures() {
    CallTimes calls = new CallTimes(1);
    for (int i = 2000; i >= 1; i--) {
      calls.add(i, false);
    }
    calls.addPass(4_002_000);
    calls.addPass(2_001_000);
    Figures figures = calls.figures(1.25, null);
    assertEquals(2000, figures.events());
    assertEquals(1000.5, figures.nanosPerEvent());
    assertEquals(2.001, figures.millis());
    assertEquals(1.0 / 3, figures.share(), 1e-12);
    assertEquals(1000, figures.p50Nanos());
    assertEquals(1980, figures.p99Nanos());
    assertEquals(1998, figures.p999Nanos());
    assertEquals(2000, figures.longestNanos());
    assertEquals(6.003, figures.wallMillis());
    assertEquals(1.25, figures.reservedRatio());
  }

  @Test
  @DisplayName("with a garbage collection count, but not for the longest call")
  void collected() {
    CallTimes calls = new CallTimes(3);
    calls.add(100, false);
    calls.add(9_000_000, true);
    calls.add(300, false);
    Figures figures = calls.figures(1, null);
    assertEquals(300, figures.longestNanos());
    assertEquals(9_000_000, figures.longestCollectedNanos());
    assertEquals(9.0004, figures.millis());
  }
}
