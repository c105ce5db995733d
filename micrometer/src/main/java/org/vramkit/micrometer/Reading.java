package org.vramkit.micrometer;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.WorkStatistics;

/** All figures of an allocator at a moment; those of its work are 0 where it tells none. */
record Reading(AllocatorStatistics figures, WorkStatistics work) {
  private static final WorkStatistics NO_WORK = new WorkStatistics(0, 0, 0, 0, 0);

  static Reading of(Allocator allocator) {
    AllocatorStatistics figures = allocator.getStatistics();
    return new Reading(
        figures,
        allocator instanceof CachingAllocator caching ? caching.getWorkStatistics() : NO_WORK);
  }

  /** Allocations that a cache of the calling thread served. */
  long cacheHits() {
    return figures.cacheHits();
  }

  /** Allocations that were searched for, and took and moved no memory. */
  long searches() {
    return figures.servedFromPool() - figures.cacheHits();
  }

  /** Allocations that took or moved memory. */
  long grown() {
    return figures.misses();
  }
}
