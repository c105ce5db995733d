package org.vramkit.pool.caching.internal.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Needed memory is kept for a while")
class DecayBacklogTest {
  private static final int INTERVALS = 20;

  private final Decay.Backlog history = new Decay.Backlog(INTERVALS);

  /** The last byte depends on how fractions are rounded. */
  private static void assertNear(long expected, long actual) {
    assertTrue(Math.abs(actual - expected) <= 1, () -> actual + " instead of " + expected);
  }

  @Test
  @DisplayName("nothing is kept for a program that needed nothing")
  void fresh() {
    assertEquals(0, history.kept());
    history.ended(3, 0);
    assertEquals(0, history.kept());
  }

  @Test
  @DisplayName(
      "memory that is no longer needed goes slowly, then fast, then slowly, by the smoothstep")
  void smooth() {
    history.ended(1, 1_000_000);
    assertEquals(1_000_000, history.kept());
    long[] kept = new long[INTERVALS + 1];
    kept[0] = history.kept();
    for (int age = 1; age <= INTERVALS; age++) {
      history.ended(1, 0);
      kept[age] = history.kept();
      assertTrue(kept[age] < kept[age - 1], "age " + age);
    }
    // 6x^5 - 15x^4 + 10x^3 at a quarter, a half and three quarters.
    assertNear(1_000_000 - 103_516, kept[INTERVALS / 4]);
    assertNear(500_000, kept[INTERVALS / 2]);
    assertNear(103_516, kept[3 * INTERVALS / 4]);
    assertEquals(0, kept[INTERVALS]);
  }

  @Test
  @DisplayName("memory that is needed repeatedly is kept in full, however little is needed between")
  void recurring() {
    for (int round = 0; round < 100; round++) {
      history.ended(1, 700);
      assertEquals(700, history.kept());
      history.ended(2, 10);
      assertTrue(history.kept() > 690, "round " + round + ": " + history.kept());
    }
  }

  @Test
  @DisplayName("each part has the age at which it was last needed")
  void layers() {
    history.ended(1, 1000);
    history.ended(INTERVALS / 2, 400);
    assertNear(400 + 600 / 2, history.kept());
  }

  @Test
  @DisplayName("intervals without an end between them count, and any number may pass")
  void jumps() {
    history.ended(1, 1000);
    history.ended(Long.MAX_VALUE, 5);
    assertEquals(5, history.kept());
  }
}
