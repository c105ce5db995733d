package org.vramkit.pool.caching;

import org.vramkit.pool.support.Padded;

/**
 * What the threads of one stripe took and gave back. Guarded by the stripe's lock; sums over all
 * stripes are exact at a quiet moment.
 *
 * <p>Peaks need a figure that all threads share. A stripe claims room in that figure ahead, a chunk
 * at a time, and uses it up alone: so {@link LiveGauge} is always at least what is live, and in
 * bytes of either kind and in blocks at most two chunks per stripe above it. Where caches have
 * earned room (see {@link CacheCredit}) a chunk is larger by a part of that: threads that replace
 * large blocks all the time would otherwise meet at the figure every few calls. With a chunk of 0
 * it is exact and every call touches it.
 */
final class LiveBooks extends Padded {
  /** The part of a stripe's earned room by which its chunks are larger. */
  private static final int ROOM_PARTS = 8;

  private final LiveGauge gauge;
  private long chunkBytes;

  long requestedAdded;
  long requestedRemoved;
  long allocatedAdded;
  long allocatedRemoved;
  long allocations;
  long frees;

  /** Of the allocations, those for which memory was taken. */
  long misses;

  // What the gauge holds for this stripe; what is live here may be less.
  private long claimedRequested;
  private long claimedAllocated;
  private long claimedCount;

  LiveBooks(LiveGauge gauge) {
    this.gauge = gauge;
    this.chunkBytes = gauge.chunkBytes();
  }

  /** Adapts the chunk to what the caches have earned. */
  void earned(long room) {
    chunkBytes = gauge.chunkBytes() == 0 ? 0 : gauge.chunkBytes() + room / ROOM_PARTS;
    giveBackExcess(0);
  }

  void allocated(long requested, long size) {
    requestedAdded += requested;
    allocatedAdded += size;
    allocations++;
    long spare =
        (claimedRequested - requestedAdded + requestedRemoved)
            | (claimedAllocated - allocatedAdded + allocatedRemoved)
            | (claimedCount - allocations + frees);
    if (spare < 0) {
      claim(chunkBytes, gauge.chunkCount());
    }
  }

  void freed(long requested, long size) {
    requestedRemoved += requested;
    allocatedRemoved += size;
    frees++;
    giveBackExcess(size);
  }

  /** A block of up to two chunks that was freed keeps its claim: its next user touches no gauge. */
  private void giveBackExcess(long size) {
    long most = 2 * chunkBytes;
    long room =
        (most - claimedRequested + requestedAdded - requestedRemoved)
            | (most - claimedAllocated + allocatedAdded - allocatedRemoved)
            | (2 * gauge.chunkCount() - claimedCount + allocations - frees);
    if (room < 0) {
      claim(Math.max(chunkBytes, Math.min(most, size)), gauge.chunkCount());
    }
  }

  /** Gives all unused claims back, so that the gauge is exact. */
  void settle() {
    claim(0, 0);
  }

  private void claim(long bytes, long count) {
    long requested = requestedAdded - requestedRemoved + bytes;
    long allocated = allocatedAdded - allocatedRemoved + bytes;
    long blocks = allocations - frees + count;
    gauge.add(requested - claimedRequested, allocated - claimedAllocated, blocks - claimedCount);
    claimedRequested = requested;
    claimedAllocated = allocated;
    claimedCount = blocks;
  }
}
