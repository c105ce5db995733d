package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("18.1 The budget of time")
class MoveTimeTest {
  private static final long SECOND = 1_000_000_000;
  private static final long MOST = MoveTime.MOST_CREDIT_NANOS;

  /** Any beginning will do: clocks wrap. */
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - SECOND);

  private MoveTime of(double share) {
    return new MoveTime(share, clock::get);
  }

  private long left(MoveTime time) {
    return time.read().leftNanos();
  }

  private void grow(MoveTime time, long nanos) {
    time.grew(time.now() - nanos, 0);
  }

  private void move(MoveTime time, long nanos) {
    time.moved(time.now() - nanos);
  }

  private static void assertNear(long wanted, long found) {
    assertTrue(Math.abs(wanted - found) < 1000, wanted + " ns to a rounding; got " + found);
  }

  @Test
  @DisplayName("half of what growth took may be spent on moves")
  void growth() {
    MoveTime time = of(0.01);
    assertFalse(time.isLeft());
    grow(time, MOST);
    assertNear(MOST / 2, left(time));
    move(time, MOST / 4);
    assertTrue(time.isLeft());
    move(time, MOST / 2);
    assertFalse(time.isLeft());
    assertEquals(MOST / 4 + MOST / 2, time.read().movingNanos());
  }

  @Test
  @DisplayName("a growth that moves a part pays for that, and the rest gives credit")
  void part() {
    MoveTime time = of(0.01);
    time.grew(time.now() - MOST, 0.25);
    assertEquals(MOST / 4, time.read().movingNanos());
    assertNear(MOST * 3 / 8 - MOST / 4, left(time));
  }

  @Test
  @DisplayName("what was spent is paid back by a share of elapsed time, across a wrap of the clock")
  void paysBack() {
    MoveTime time = of(0.01);
    grow(time, 2 * MOST);
    move(time, MOST);
    clock.addAndGet(2 * SECOND);
    assertNear(2 * SECOND / 100, left(time));
  }

  @Test
  @DisplayName("no more may be spent at once than 50 ms, however long it took to grow")
  void bounded() {
    MoveTime time = of(0.01);
    clock.addAndGet(3600 * SECOND);
    assertNear(0, left(time));
    grow(time, 100 * MOST);
    assertNear(MOST, left(time));
    move(time, MOST + 1000);
    assertFalse(time.isLeft());
  }

  @Test
  @DisplayName("what one call took beyond it is paid back first")
  void debt() {
    MoveTime time = of(0.01);
    grow(time, MOST);
    move(time, 2 * MOST + MOST / 2);
    clock.addAndGet(MOST * 150);
    assertFalse(time.isLeft());
    clock.addAndGet(MOST * 100);
    assertTrue(time.isLeft());
  }

  @Test
  @DisplayName("a process that stood still for an hour in a call pays no more than for 200 ms")
  void stoodStill() {
    MoveTime time = of(0.01);
    grow(time, 2 * MOST);
    move(time, 3600 * SECOND);
    clock.addAndGet(300 * MOST);
    assertFalse(time.isLeft());
    clock.addAndGet(2 * MOST);
    assertTrue(time.isLeft());
  }

  @Test
  @DisplayName("questions are paid from an account of their own, which begins full")
  void questions() {
    MoveTime time = of(0.01);
    long most = MoveTime.MOST_ASKING_NANOS;
    time.asked(time.now() - most * 3 / 4);
    assertTrue(time.isLeftToAsk());
    time.asked(time.now() - most);
    assertFalse(time.isLeftToAsk());
    assertEquals(most * 7 / 4, time.read().askingNanos());
    grow(time, MOST);
    assertTrue(time.isLeft());
    assertFalse(time.isLeftToAsk());
    clock.addAndGet(SECOND);
    assertTrue(time.isLeftToAsk());
  }

  @Test
  @DisplayName("18.1 a question during which the process stood still silences others for seconds")
  void stoodStillAsking() {
    MoveTime time = of(0.01);
    time.asked(time.now() - 3600 * SECOND);
    assertFalse(time.isLeftToAsk());
    clock.addAndGet(2 * SECOND);
    assertFalse(time.isLeftToAsk());
    clock.addAndGet(2 * SECOND);
    assertTrue(time.isLeftToAsk());
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-300, 1e-9})
  @DisplayName("the least of shares pays nothing back and overflows nowhere")
  void tiny(double share) {
    MoveTime time = of(share);
    clock.addAndGet(365 * 24 * 3600 * SECOND);
    grow(time, MOST);
    move(time, 2 * MOST);
    move(time, 2 * MOST);
    assertFalse(time.isLeft());
  }

  @Test
  @DisplayName("nothing is ever left with a share of 0, and always something with a share of 1")
  void ends() {
    MoveTime none = of(0);
    grow(none, MOST);
    clock.addAndGet(SECOND);
    assertFalse(none.isLeft());
    assertFalse(none.isLeftToAsk());
    MoveTime all = of(1);
    move(all, 10 * MOST);
    all.asked(all.now() - 10 * MOST);
    assertTrue(all.isLeft());
    assertTrue(all.isLeftToAsk());
  }
}
