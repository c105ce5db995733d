package org.vramkit.pool.caching.internal.cache;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.history.HistoryWriter;

/** What is behind the caches of a stream. Called under no lock. */
public interface CacheBacking {
  /** Takes blocks that no cache has room for, linked by {@link Block#nextCached}. */
  void takeBack(Block first);

  /** Takes a block whose handle was closed, where somebody listens or other streams use it. */
  void free(Block block);

  /** Notes a use by another stream. */
  void recordUse(Block block, Stream stream);

  /** Notes that a thread cache keeps blocks again. Called under its lock. */
  void filled(ThreadCache cache);

  /** Makes a writer of the events of a stripe; null while no history is kept. */
  @Nullable HistoryWriter newHistoryWriter(Stream stream);

  /** The number of the next allocation of a stripe whose handle is watched, after some. */
  long nextWatched(long allocations);

  /** A handle was found to be dropped without a close. */
  void leaked();
}
