package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("18.1 The moves that one call may make")
class MoveBudgetTest {
  private static final long MICRO = 1_000;

  private final AtomicLong clock = new AtomicLong();
  private final MoveBudget budget = new MoveBudget(0.5, clock::get);

  private void growth(int moved, int created, long micros) {
    long begin = budget.now();
    clock.addAndGet(micros * MICRO);
    budget.grew(begin, moved, created);
    clock.addAndGet(1_000_000 * MICRO);
  }

  @Test
  @DisplayName(
      "18.1 the cost of a move is the mean over moves: many in one call are cheaper than one in each")
  void meanOverMoves() {
    for (int i = 0; i < 20; i++) {
      growth(1, 0, 125);
    }
    assertEquals(8, budget.affordableMoves());
    for (int i = 0; i < 4; i++) {
      growth(8, 0, 400);
    }
    // 50 us each, but for the rest of the first measurements.
    int affordable = budget.affordableMoves();
    assertTrue(affordable >= 18 && affordable <= 20, () -> affordable + " moves");
  }

  @Test
  @DisplayName("18.1 chunks that the driver created count neither as moves nor for their cost")
  void createdChunks() {
    for (int i = 0; i < 40; i++) {
      growth(2, 2, 400);
    }
    assertEquals(10, budget.affordableMoves());
    assertEquals(40 * 200 * MICRO, budget.read().movingNanos());
  }
}
