package org.vramkit.pool.caching.internal.arena;

import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.option.SizeRules;

/**
 * Memory that is taken before anybody asks for it. Small blocks have addresses of their own, so a
 * part of it is laid there.
 */
final class InitialMemory {
  /** One part in so many is for small blocks. */
  private static final int SMALL_PARTS = 64;

  /** And so much at most. */
  private static final long MOST_SMALL = 32 * ByteSize.MIB;

  private final Heap heap;
  private final AllocationSearch search;
  private final StreamCache owner;

  InitialMemory(Heap heap, AllocationSearch search, StreamCache owner) {
    this.heap = heap;
    this.search = search;
    this.owner = owner;
  }

  /**
   * Takes it, and leaves it free.
   *
   * @param size of all blocks together
   * @param bytes that were asked for
   */
  void take(long size, long bytes) {
    // What cannot be had at all is refused as a whole, before anything is taken.
    long most = heap.mayEverHave(size) ? Math.min(MOST_SMALL, size / SMALL_PARTS) : 0;
    long small = most / SizeRules.SMALL_LIMIT;
    Block taken = search.findNew(owner, size - small * SizeRules.SMALL_LIMIT, bytes, 1, "");
    try {
      for (long i = 0; i < small; i++) {
        Block block = search.findNew(owner, SizeRules.SMALL_LIMIT, bytes, 1, "");
        block.nextCached = taken;
        taken = block;
      }
    } finally {
      heap.free(taken);
    }
  }
}
