package org.vramkit.pool.decorator;

/** Decides whether a {@link RetryingAllocator} tries again. The handler may free memory first. */
@FunctionalInterface
public interface RetryHandler {

  /**
   * Called after a failed attempt, by the thread that allocates and without a lock.
   *
   * @return true to try again, false to let the allocation fail; a handler that always returns true
   *     never ends, so let the number of the attempt decide
   */
  boolean retry(OutOfMemoryAttempt attempt);
}
