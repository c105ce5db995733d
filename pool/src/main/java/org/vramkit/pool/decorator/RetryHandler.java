package org.vramkit.pool.decorator;

/** Decides whether a {@link RetryingAllocator} tries again, and may free memory before. */
@FunctionalInterface
public interface RetryHandler {

  /**
   * Called by the thread that allocates, with no lock held.
   *
   * @return true to try again, false to let the allocation fail; a handler that always returns true
   *     never ends, so let the number of the attempt decide
   */
  boolean retry(OutOfMemoryAttempt attempt);
}
