package org.vramkit.pool.caching;

import org.vramkit.api.allocator.OutOfMemoryReport;

/**
 * Called before an allocation fails, by the allocating thread without a lock. The handler may close
 * allocations of any allocator. It may also allocate, but is called again if that allocation finds
 * no memory. A handler that always allocates therefore ends in a {@link StackOverflowError}.
 */
@FunctionalInterface
public interface OutOfMemoryHandler {

  /** Lets the allocation fail. */
  OutOfMemoryHandler NONE = (report, attempt) -> false;

  /**
   * Frees memory if possible. The caller of the allocation receives an exception of this method.
   *
   * @param report the request, the recovery steps and the state of the allocator
   * @param attempt number of the call for this allocation, from 1
   * @return true to try again, false to let the allocation fail; a handler that always returns true
   *     never ends, so let {@code attempt} decide
   */
  boolean handle(OutOfMemoryReport report, int attempt);
}
