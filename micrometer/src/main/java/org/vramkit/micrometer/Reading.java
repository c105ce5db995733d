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

  /** Allocations from a cache. */
  long hits() {
    // The two are read one after the other, while others allocate.
    return Math.max(0, figures.hits() - searches());
  }

  /** Allocations that were searched for, and needed no memory from the driver. */
  long searches() {
    long refused = figures.outOfMemories() - figures.rejections();
    return Math.max(0, work.searches() - refused - grown());
  }

  /** Allocations that took or moved memory. */
  long grown() {
    return figures.misses();
  }
}
