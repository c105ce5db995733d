package org.vramkit.pool.caching.size;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.pool.caching.Sandbox.MIB;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.Sandbox;

@DisplayName("Segments: what goes back before more is taken depends on the time that is left")
class SegmentBudgetTest {
  /** Closing it demands that nothing is live and nothing leaked. */
  private static Sandbox box(double moveTime) {
    return Sandbox.segments(builder -> builder.moveTime(moveTime));
  }

  /** A free segment that is too small for what comes next. */
  private static void leaveFree(Sandbox box, long bytes) {
    Allocation block = box.allocate(bytes);
    block.close();
  }

  private static long reserved(Sandbox box) {
    return box.statistics().reserved().current();
  }

  @Test
  @DisplayName("without time for moves, no segment is returned before memory is taken")
  void noTime() {
    try (Sandbox box = box(0)) {
      leaveFree(box, 40 * MIB);
      box.allocate(60 * MIB);
      assertEquals(100 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("while there is credit a free segment goes back first")
  void credit() {
    try (Sandbox box = box(0.005)) {
      leaveFree(box, 40 * MIB);
      box.allocate(60 * MIB);
      assertEquals(60 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("if memory counts more than time, it returns to the driver")
  void unlimited() {
    try (Sandbox box = box(1)) {
      leaveFree(box, 40 * MIB);
      box.allocate(60 * MIB);
      assertEquals(60 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("at the limit it goes back though no time is left")
  void limit() {
    try (Sandbox box = Sandbox.segments(builder -> builder.moveTime(0).limit(90 * MIB))) {
      leaveFree(box, 40 * MIB);
      box.allocate(60 * MIB);
      assertEquals(60 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("when the device is full it goes back though no time is left")
  void device() {
    try (Sandbox box = box(0)) {
      leaveFree(box, 3000 * MIB);
      box.allocate(6000 * MIB);
      assertEquals(6000 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("without time left, a repetitive program keeps to the memory of its first round")
  void repeats() {
    try (Sandbox box = box(0)) {
      round(box);
      long first = reserved(box);
      for (int i = 0; i < 10; i++) {
        round(box);
        assertEquals(first, reserved(box), "round " + i);
      }
    }
  }

  private static void round(Sandbox box) {
    Allocation large = box.allocate(60 * MIB);
    Allocation small = box.allocate(30 * MIB);
    large.close();
    Allocation next = box.allocate(80 * MIB);
    small.close();
    next.close();
  }
}
