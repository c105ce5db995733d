package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Stat;

@DisplayName("A gauge")
class GaugeTest {
  private final Gauge gauge = new Gauge();

  @Test
  @DisplayName("adds and removes, and keeps the most that there was")
  void addsAndRemoves() {
    gauge.add(5);
    gauge.remove(3);
    gauge.add(1);
    assertEquals(new Stat(3, 5, 6, 3), gauge.read());
    gauge.resetPeak();
    assertEquals(new Stat(3, 3, 6, 3), gauge.read());
  }

  @Test
  @DisplayName("adopts values that the driver counts, up and down, as adds and removes")
  void moves() {
    gauge.moveTo(7);
    assertEquals(new Stat(7, 7, 7, 0), gauge.read());
    gauge.moveTo(2);
    assertEquals(new Stat(2, 7, 7, 5), gauge.read());
    gauge.moveTo(2);
    assertEquals(new Stat(2, 7, 7, 5), gauge.read());
    gauge.raisePeakTo(6);
    assertEquals(7, gauge.read().peak());
    gauge.raisePeakTo(9);
    assertEquals(9, gauge.read().peak());
  }
}
