package org.vramkit.pool.caching.internal.heap;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * How much memory growth may create although free memory could be moved instead.
 *
 * @param moveTime what may be spent on moving
 * @param earned bytes that may be reserved because the program's caches have earned them
 * @param busy whether time counts more than memory at the moment
 */
public record Slack(MoveTime moveTime, LongSupplier earned, BooleanSupplier busy) {
  /** Whether time counts more than memory at the moment. */
  boolean isHurried() {
    return busy.getAsBoolean();
  }

  /** Bytes that may be created before anything is moved. */
  long room() {
    return moveTime.isLeft() ? earned.getAsLong() : Long.MAX_VALUE;
  }
}
