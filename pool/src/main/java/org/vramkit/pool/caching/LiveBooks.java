package org.vramkit.pool.caching;

/**
 * What the threads of one stripe took and gave back. Guarded by the stripe's lock; sums over all
 * stripes are exact at a quiet moment.
 *
 * <p>Peaks need a figure that all threads share. A stripe claims room in that figure ahead, a chunk
 * at a time, and uses it up alone: so {@link LiveGauge} is always at least what is live, and at
 * most two chunks per stripe above it. Where caches have earned room (see {@link CacheCredit}) a
 * chunk is larger by a part of that: threads that replace large blocks all the time would otherwise
 * meet at the figure every few calls. With a chunk of 0 it is exact and every call touches it.
 */
final class LiveBooks {
  /** The part of a stripe's earned room by which its chunks are larger. */
  private static final int ROOM_PARTS = 16;

  private final LiveGauge gauge;
  private final CacheCredit credit;

  long requestedAdded;
  long requestedRemoved;
  long allocatedAdded;
  long allocatedRemoved;
  long allocations;
  long frees;
  long hits;

  // Claimed from the gauge and not used.
  private long spareRequested;
  private long spareAllocated;
  private long spareCount;

  LiveBooks(LiveGauge gauge, CacheCredit credit) {
    this.gauge = gauge;
    this.credit = credit;
  }

  void allocated(long requested, long size) {
    requestedAdded += requested;
    allocatedAdded += size;
    allocations++;
    spareRequested -= requested;
    spareAllocated -= size;
    spareCount--;
    if ((spareRequested | spareAllocated | spareCount) < 0) {
      settle(chunkBytes(), gauge.chunkCount());
    }
  }

  void freed(long requested, long size) {
    requestedRemoved += requested;
    allocatedRemoved += size;
    frees++;
    spareRequested += requested;
    spareAllocated += size;
    spareCount++;
    long chunk = chunkBytes();
    if (spareAllocated > 2 * chunk
        || spareRequested > 2 * chunk
        || spareCount > 2 * gauge.chunkCount()) {
      settle(chunk, gauge.chunkCount());
    }
  }

  private long chunkBytes() {
    long chunk = gauge.chunkBytes();
    return chunk == 0 ? 0 : chunk + credit.earnedRoom() / ROOM_PARTS;
  }

  /** Gives all unused claims back, so that the gauge is exact. */
  void settle() {
    settle(0, 0);
  }

  private void settle(long bytes, long count) {
    gauge.add(bytes - spareRequested, bytes - spareAllocated, count - spareCount);
    spareRequested = bytes;
    spareAllocated = bytes;
    spareCount = count;
  }
}
