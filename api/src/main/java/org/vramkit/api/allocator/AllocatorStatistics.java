package org.vramkit.api.allocator;

import java.util.List;

/**
 * A snapshot of an allocator's statistics. While no call is in progress and no memory is suspended,
 * {@code reserved = live + cached + fragments} holds, in total and over the streams.
 *
 * <p>A peak is never too low. The peaks of a caching allocator are exact while one thread at a time
 * calls it. With concurrent calls, the peaks of {@code requested}, {@code allocated}, {@code
 * active} and {@code allocations} may be too high. The error is at most the sum over the thread
 * caches in use of half of the cache's live memory, or of 8 MiB and 512 blocks, whichever is more.
 *
 * @param requested requested bytes of live allocations
 * @param allocated bytes of the blocks behind live allocations, at least {@code requested}
 * @param active {@code allocated} plus closed blocks that still wait for other streams
 * @param reserved bytes taken from the driver
 * @param allocations live allocations, without empty ones
 * @param segments allocations from the driver: segments, or pages of physical memory
 * @param cachedBytes bytes of free blocks in caches, which a cache hit can serve
 * @param fragmentBytes bytes of free ranges outside the caches
 * @param suspendedBytes bytes of suspended private pools that were returned to the driver until the
 *     pools are resumed; not part of {@code reserved}
 * @param freeBlocks number of free blocks in caches and of free ranges outside them
 * @param servedFromPool allocations that neither took memory from the driver nor moved any
 * @param cacheHits allocations out of {@code servedFromPool} that the calling thread's cache served
 *     without a search; 0 for allocators without thread caches
 * @param misses allocations that made the allocator take or move memory
 * @param driverAllocations driver calls that took memory
 * @param driverFrees driver calls that returned memory
 * @param decayedBytes bytes returned to the driver because they had been idle for the time of the
 *     decay option
 * @param pagesMoved pages of physical memory that moved to another address
 * @param moveTime time spent on keeping the reserved memory small, and the remaining budget
 * @param synchronizations number of times that the allocator blocked a thread to wait for streams
 * @param steals blocks taken from another stream by making the allocating stream wait for it
 * @param retries allocations that succeeded only after out-of-memory recovery
 * @param outOfMemories allocations that failed for lack of memory
 * @param rejections allocations out of {@code outOfMemories} that a limit refused before any search
 * @param leaks tracked handles that became unreachable without a close; their memory stays live
 * @param streams the share of each stream
 * @param tags the share of each tag, the tag with most live bytes first; empty if tags are not
 *     counted
 */
public record AllocatorStatistics(
    Stat requested,
    Stat allocated,
    Stat active,
    Stat reserved,
    Stat allocations,
    Stat segments,
    long cachedBytes,
    long fragmentBytes,
    long suspendedBytes,
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
   * Returns the bytes of live blocks and of closed blocks that wait for other streams: {@code
   * active().current()}.
   */
  public long getLiveBytes() {
    return active.current();
  }

  /** Returns the reserved bytes that are not allocated: {@code reserved - allocated}. */
  public long getIdleBytes() {
    return reserved.current() - allocated.current();
  }
}
