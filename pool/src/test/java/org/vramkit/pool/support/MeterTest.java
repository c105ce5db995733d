package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Stat;

@DisplayName("A meter")
class MeterTest {
  private final Meter meter = new Meter();

  @Test
  @DisplayName("adds and removes, and keeps the most that there was")
  void addsAndRemoves() {
    meter.add(5);
    meter.remove(3);
    meter.add(1);
    assertEquals(new Stat(3, 5, 6, 3), meter.read());
    meter.resetPeak();
    assertEquals(new Stat(3, 3, 6, 3), meter.read());
  }

  @Test
  @DisplayName("takes over values that somebody else counts, up and down, as adds and removes")
  void moves() {
    meter.moveTo(7);
    assertEquals(new Stat(7, 7, 7, 0), meter.read());
    meter.moveTo(2);
    assertEquals(new Stat(2, 7, 7, 5), meter.read());
    meter.moveTo(2);
    assertEquals(new Stat(2, 7, 7, 5), meter.read());
    meter.raisePeakTo(6);
    assertEquals(7, meter.read().peak());
    meter.raisePeakTo(9);
    assertEquals(9, meter.read().peak());
  }
}
