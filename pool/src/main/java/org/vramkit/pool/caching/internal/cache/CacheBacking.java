package org.vramkit.pool.caching.internal.cache;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.history.HistoryWriter;

/** The allocator behind the caches of a stream. Called without a lock, unless stated otherwise. */
public interface CacheBacking {
  void takeBack(Block first);

  /** Returns the memory that closed blocks of a pool without an owner have freed. */
  void closedAfterEnd();

  /** Frees a block whose handle was closed, if an observer listens or other streams use it. */
  void free(Block block);

  void recordUse(Block block, Stream stream);

  void filled(ThreadCache cache);

  /** Returns a writer for the events of a stream; null while no history is kept. */
  @Nullable HistoryWriter historyWriter(Stream stream);

  /**
   * Returns the number of the next allocation of a thread cache whose handle is tracked, after
   * {@code allocations}.
   */
  long nextWatched(long allocations);

  void leaked();
}
