package org.vramkit.api.allocator;

import java.util.List;

/**
 * The figures of an allocator at one moment. At a quiet moment (no call in progress) they add up:
 * {@code reserved = live + cached + fragments}, in total and over the streams.
 *
 * <p>A peak is never too low. Those of a caching allocator are exact as long as one thread at a
 * time calls it. Where threads meet, peaks of requested, allocated and active bytes and of
 * allocations may be too high by what the thread caches in use have claimed: for each of them half
 * of what was live in it, or 8 MiB and 512 blocks of what was freed there, whichever is more.
 *
 * @param requested bytes that users asked for and still hold
 * @param allocated bytes of the blocks that they hold, at least {@code requested}
 * @param active {@code allocated}, and blocks that were closed but still wait for other streams
 * @param reserved bytes taken from the driver
 * @param allocations blocks that users hold; empty allocations are not counted
 * @param segments pieces taken from the driver: segments, or pages of physical memory
 * @param cachedBytes bytes of free blocks that lie in caches, ready for a cache hit
 * @param fragmentBytes bytes of free ranges behind the caches
 * @param freeBlocks how many free blocks and ranges those are
 * @param servedFromPool allocations that took no memory from the driver and moved none
 * @param cacheHits those of them that a cache of the calling thread served, without a search; 0 for
 *     allocators without such caches
 * @param misses allocations that made the allocator take or move memory
 * @param driverAllocations driver calls that took memory
 * @param driverFrees driver calls that gave memory back
 * @param decayedBytes bytes given back because they had been idle for a while
 * @param pagesMoved pages of physical memory that moved to another address
 * @param moveTime time that went into keeping memory small, and how much may still go
 * @param synchronizations times that the allocator waited for streams on the host
 * @param steals times that a stream was made to wait for another so that memory could change hands
 * @param retries allocations that succeeded only after the out-of-memory ladder
 * @param outOfMemories allocations that failed for lack of memory
 * @param rejections those of them that a limit refused before any memory was looked for
 * @param leaks handles that were found to be dropped without a close, of those that are watched;
 *     their memory stays live
 * @param streams the share of each stream
 * @param tags the share of each tag, by most live bytes; empty where tags are not counted
 */
public record AllocatorStatistics(
    Tally requested,
    Tally allocated,
    Tally active,
    Tally reserved,
    Tally allocations,
    Tally segments,
    long cachedBytes,
    long fragmentBytes,
    long freeBlocks,
    long servedFromPool,
    long cacheHits,
    long misses,
    long driverAllocations,
    long driverFrees,
    long decayedBytes,
    long pagesMoved,
    MoveTimeStatistics moveTime,
    long synchronizations,
    long steals,
    long retries,
    long outOfMemories,
    long rejections,
    long leaks,
    List<StreamStatistics> streams,
    List<TagUsage> tags) {

  /** Copies the lists. */
  public AllocatorStatistics {
    streams = List.copyOf(streams);
    tags = List.copyOf(tags);
  }

  /**
   * The former name of {@link #servedFromPool}, which reads as if it counted hits of caches.
   *
   * @deprecated use {@link #servedFromPool} or {@link #cacheHits}
   */
  @Deprecated
  public long hits() {
    return servedFromPool;
  }

  /** Bytes of blocks that are held or wait for other streams: {@code active().current()}. */
  public long getLiveBytes() {
    return active.current();
  }

  /** Bytes that are reserved and not allocated: {@code reserved - allocated}. */
  public long getIdleBytes() {
    return reserved.current() - allocated.current();
  }
}
