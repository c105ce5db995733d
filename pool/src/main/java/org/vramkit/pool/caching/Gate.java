package org.vramkit.pool.caching;

import java.util.concurrent.atomic.LongAdder;

/**
 * Lets calls in until it is shut, and tells then whether one is still inside. Two counters instead
 * of one, so that threads that go in and out do not meet at one place in memory.
 */
final class Gate {
  private final LongAdder entered = new LongAdder();
  private final LongAdder left = new LongAdder();
  private volatile boolean shut;

  /** Whether the caller may go on; then it has to {@link #leave}. */
  boolean enter() {
    entered.increment();
    if (shut) {
      left.increment();
      return false;
    }
    return true;
  }

  void leave() {
    left.increment();
  }

  /** Nobody enters from now on. */
  void shut() {
    shut = true;
  }

  /** Whether it is shut and nobody is inside; that stays so. */
  boolean isDeserted() {
    if (!shut) {
      return false;
    }
    // Whoever is counted as left was counted as entered before; whoever comes later meets it shut.
    long gone = left.sum();
    return entered.sum() == gone;
  }
}
