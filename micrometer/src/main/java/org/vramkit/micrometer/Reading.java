package org.vramkit.micrometer;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.WorkStatistics;

/**
 * A snapshot of an allocator's statistics. The work statistics are 0 for allocators that do not
 * count them.
 */
record Reading(AllocatorStatistics figures, WorkStatistics work) {
  private static final WorkStatistics NO_WORK = new WorkStatistics(0, 0, 0, 0, 0);

  static Reading of(Allocator allocator) {
    AllocatorStatistics figures = allocator.getStatistics();
    return new Reading(
        figures,
        allocator instanceof CachingAllocator caching ? caching.getWorkStatistics() : NO_WORK);
  }

  /** Returns the number of allocations that a cache of the calling thread served. */
  long cacheHits() {
    return figures.cacheHits();
  }

  /** Returns the number of allocations that a search served without taking or moving memory. */
  long searches() {
    return figures.servedFromPool() - figures.cacheHits();
  }

  /** Returns the number of allocations that took or moved memory. */
  long grown() {
    return figures.misses();
  }
}
