package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.allocator.Stat;

@DisplayName("The figures of an allocator")
class StatsTest {
  private final Stats stats = new Stats();

  @Test
  @DisplayName("keep the most that there was, and what came and went")
  void gauges() {
    stats.add(Figure.RESERVED, 5);
    stats.add(Figure.RESERVED, -3);
    stats.add(Figure.RESERVED, 1);
    assertEquals(new Stat(3, 5, 6, 3), stats.get(Figure.RESERVED));
    stats.resetPeaks();
    assertEquals(new Stat(3, 3, 6, 3), stats.get(Figure.RESERVED));
    stats.reset();
    assertEquals(new Stat(3, 3, 0, 0), stats.get(Figure.RESERVED));
    stats.raisePeakTo(Figure.RESERVED, 2);
    assertEquals(new Stat(3, 3, 0, 0), stats.get(Figure.RESERVED));
    stats.raisePeakTo(Figure.RESERVED, 9);
    assertEquals(new Stat(3, 9, 0, 0), stats.get(Figure.RESERVED));
  }

  @Test
  @DisplayName("count from the last reset, and the segments as calls of the driver")
  void counters() {
    stats.add(Figure.LEAKS, 2);
    stats.add(Figure.SEGMENTS, 3);
    stats.add(Figure.SEGMENTS, -1);
    assertEquals(Stat.of(2), stats.get(Figure.LEAKS));
    assertEquals(Stat.of(3), stats.getAll().get(Figure.DRIVER_ALLOCATIONS));
    assertEquals(Stat.of(1), stats.getAll().get(Figure.DRIVER_FREES));
    stats.reset();
    stats.add(Figure.LEAKS, 1);
    assertEquals(Stat.of(1), stats.get(Figure.LEAKS));
  }

  @Test
  @DisplayName("of a pool are part of its allocator's, whose peak is that of all pools together")
  void parts() {
    Stats one = new Stats(stats);
    Stats other = new Stats(stats);
    one.add(Figure.RESERVED, 4);
    one.add(Figure.RESERVED, -4);
    other.add(Figure.RESERVED, 3);
    assertEquals(new Stat(3, 4, 7, 4), stats.get(Figure.RESERVED));
    assertEquals(new Stat(3, 3, 3, 0), other.get(Figure.RESERVED));
    one.reset();
    assertEquals(new Stat(3, 4, 7, 4), stats.get(Figure.RESERVED));
  }

  @Test
  @DisplayName("of a pool tell how much must return before the growth bound is exceeded")
  void excess() {
    BlockStats blocks = new BlockStats();
    blocks.taken(Stats.ALLOWANCE);
    assertEquals(0, blocks.excess(100));
    blocks.taken(101);
    assertEquals(1, blocks.excess(100));
    blocks.allocated(1000, null);
    blocks.freed(700, null);
    blocks.taken(1799);
    assertEquals(0, blocks.excess(100));
    blocks.allocated(600, null);
    assertEquals(
        0, blocks.excess(100), "the peak of 1,000 is above the 900 and 100 that are wanted");
    blocks.taken(1);
    assertEquals(1, blocks.excess(100));
  }
}
