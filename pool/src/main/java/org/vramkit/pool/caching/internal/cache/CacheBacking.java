package org.vramkit.pool.caching.internal.cache;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.history.HistoryWriter;

/** The allocator behind the caches of a stream. Called without a lock, unless stated otherwise. */
public interface CacheBacking {
  /** Frees blocks that the cache has no room for, linked by {@link Block#nextCached}. */
  void takeBack(Block first);

  /** Returns the memory that closed blocks of a pool without an owner have freed. */
  void closedAfterEnd();

  /** Frees a block whose handle was closed, if an observer listens or other streams use it. */
  void free(Block block);

  void recordUse(Block block, Stream stream);

  /**
   * Registers a thread cache that has become non-empty, for flushes. Called under the lock of the
   * cache.
   */
  void filled(ThreadCache cache);

  /** Returns a writer for the events of a stream; null while no history is kept. */
  @Nullable HistoryWriter historyWriter(Stream stream);

  /**
   * Returns the number of the next allocation of a thread cache whose handle is tracked, after
   * {@code allocations}.
   */
  long nextWatched(long allocations);

  /** Counts a handle that was dropped without a close. */
  void leaked();
}
