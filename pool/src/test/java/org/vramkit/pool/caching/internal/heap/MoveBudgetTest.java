package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("18.1 The moves that one call may make")
class MoveBudgetTest {
  private static final long MICRO = 1_000;

  private final AtomicLong clock = new AtomicLong();
  private final MoveBudget budget = new MoveBudget(0.5, clock::get);

  private void growth(int moved, int created, long unmapMicros, long mapMicros) {
    long begin = budget.now();
    clock.addAndGet(unmapMicros * MICRO);
    budget.unmapped(begin, moved);
    clock.addAndGet(mapMicros * MICRO);
    budget.grew(begin, moved, created);
    clock.addAndGet(1_000_000 * MICRO);
  }

  @Test
  @DisplayName("18.1 a call may unmap chunks for a millisecond, however long mapping them takes")
  void millisecond() {
    for (int i = 0; i < 50; i++) {
      growth(1, 0, 40, 260);
    }
    assertEquals(25, budget.affordableMoves(), 1.0);
    growth(0, 9, 0, 2000);
    assertEquals(25, budget.affordableMoves(), 1.0);
  }

  @Test
  @DisplayName("18.1 the time of a chunk is the mean over chunks, of which a call may unmap many")
  void meanOverChunks() {
    for (int i = 0; i < 50; i++) {
      growth(1, 0, 100, 0);
    }
    growth(93, 0, 93 * 20, 0);
    assertEquals(100_000.0 / (7 * 100 + 93 * 20), budget.affordableMoves(), 1.0);
  }

  @Test
  @DisplayName("18.1 after one slow call, a call may still make one move, which measures again")
  void slowCall() {
    growth(1, 0, 100_000, 0);
    assertEquals(1, budget.affordableMoves());
    for (int i = 0; i < 60; i++) {
      growth(1, 0, 50, 0);
    }
    assertEquals(20, budget.affordableMoves(), 2.0);
  }

  @Test
  @DisplayName("18.1 chunks that the driver created count neither as moves nor for their cost")
  void createdChunks() {
    for (int i = 0; i < 40; i++) {
      growth(2, 2, 100, 300);
    }
    assertEquals(40 * 200 * MICRO, budget.read().movingNanos());
  }
}
