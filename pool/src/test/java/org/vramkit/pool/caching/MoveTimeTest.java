package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("18.1 The budget of time")
class MoveTimeTest {
  private static final long SECOND = 1_000_000_000;
  private static final long CREDIT = MoveTime.CREDIT_NANOS;

  /** Any beginning will do: clocks wrap. */
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - SECOND);

  private MoveTime of(double share) {
    return new MoveTime(share, clock::get);
  }

  private void spend(MoveTime time, long nanos) {
    long begin = time.now() - nanos;
    time.moved(begin);
  }

  @Test
  @DisplayName("begins with its whole credit, and ends once that is spent")
  void credit() {
    MoveTime time = of(0.01);
    assertEquals(CREDIT, time.leftNanos());
    spend(time, CREDIT / 2);
    assertTrue(time.isLeft());
    spend(time, CREDIT);
    assertFalse(time.isLeft());
    assertEquals(CREDIT + CREDIT / 2, time.read().movingNanos());
  }

  @Test
  @DisplayName("earns its share of the time that passes, across a wrap of the clock")
  void earns() {
    MoveTime time = of(0.01);
    spend(time, CREDIT);
    clock.addAndGet(2 * SECOND);
    assertTrue(Math.abs(2 * SECOND / 100 - time.leftNanos()) < 1000, "to a rounding");
  }

  @Test
  @DisplayName("earns no more than its credit however long nothing is spent")
  void bounded() {
    MoveTime time = of(0.01);
    spend(time, CREDIT);
    clock.addAndGet(3600 * SECOND);
    assertEquals(CREDIT, time.leftNanos());
    clock.addAndGet(3600 * SECOND);
    spend(time, CREDIT + 1);
    assertFalse(time.isLeft());
  }

  @Test
  @DisplayName("pays back what one call took beyond it")
  void debt() {
    MoveTime time = of(0.01);
    spend(time, 3 * CREDIT);
    clock.addAndGet(CREDIT * 150);
    assertFalse(time.isLeft());
    clock.addAndGet(CREDIT * 100);
    assertTrue(time.isLeft());
  }

  @Test
  @DisplayName("is never left with a share of 0, and always with a share of 1")
  void ends() {
    assertFalse(of(0).isLeft());
    MoveTime all = of(1);
    spend(all, 10 * CREDIT);
    assertTrue(all.isLeft());
  }
}
