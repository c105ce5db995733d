package org.vramkit.pool.caching;

import org.vramkit.api.allocator.OutOfMemoryReport;

/**
 * Asked when an allocation is about to fail. Called by the thread that allocates, with no lock
 * held; it may close allocations, of this allocator too. It may allocate as well, but is then asked
 * for that allocation too where it finds no memory: one that always allocates ends in a {@link
 * StackOverflowError}.
 */
@FunctionalInterface
public interface OutOfMemoryHandler {

  /** Gives up at once. */
  OutOfMemoryHandler NONE = (report, attempt) -> false;

  /**
   * Frees something, if it can.
   *
   * @param report what was asked for, what was tried, what is held
   * @param attempt 1 for the first call of this allocation
   * @return true to try again, as often as it is answered: let {@code attempt} end it; false to let
   *     the allocation fail
   */
  boolean handle(OutOfMemoryReport report, int attempt);
}
