package org.vramkit.pool.caching.internal.stats;

import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.support.Padded;

/**
 * What the threads of one stripe took and gave back, and the most that was live of it. Guarded by
 * the stripe's lock; sums over all stripes are exact at a quiet moment.
 *
 * <p>What all stripes have in common, the peaks of the whole allocator, is the affair of {@link
 * Claims}. They name a band of what may be live here without anybody having to know: a call that
 * stays inside it counts, and does no more.
 */
public final class ThreadCacheStatistics extends Padded {
  public long requestedAdded;
  public long requestedRemoved;
  public long allocatedAdded;
  public long allocatedRemoved;
  public long allocations;
  public long frees;

  /** Of the allocations, those that no cache served. */
  public long searched;

  /** Of these, those for which memory was taken or moved. */
  public long misses;

  // The part of requests above SizeRules.SMALL_LIMIT.
  public long largeRequestedAdded;
  public long largeRequestedRemoved;
  public long largeAllocatedAdded;
  public long largeAllocatedRemoved;
  public long largeAllocations;
  public long largeFrees;

  // The band: above the upper bounds is a peak or lacks a claim, below the lower ones is an excess.
  private long upperRequested;
  private long upperAllocated;
  private long upperCount;
  private long lowerRequested;
  private long lowerAllocated;
  private long lowerCount;

  // The most that was live here since peaks were reset.
  private long requestedPeak;
  private long allocatedPeak;
  private long countPeak;

  private final Claims claims;

  /**
   * Nothing yet.
   *
   * @param lock of the stripe
   */
  @SuppressWarnings("this-escape")
  public ThreadCacheStatistics(LiveUsage gauge, Claims.Lock lock) {
    this.claims = new Claims(gauge, this, lock);
  }

  public void allocated(long requested, long size) {
    requestedAdded += requested;
    allocatedAdded += size;
    allocations++;
    if (requested > SizeRules.SMALL_LIMIT) {
      largeRequestedAdded += requested;
      largeAllocatedAdded += size;
      largeAllocations++;
    }
    long spare =
        (upperRequested - requestedAdded + requestedRemoved)
            | (upperAllocated - allocatedAdded + allocatedRemoved)
            | (upperCount - allocations + frees);
    if (spare < 0) {
      rise();
    }
  }

  private void rise() {
    requestedPeak = Math.max(requestedPeak, requested());
    allocatedPeak = Math.max(allocatedPeak, allocated());
    countPeak = Math.max(countPeak, count());
    claims.cover();
  }

  public void freed(long requested, long size) {
    countFree(requested, size);
    long above =
        (requestedAdded - requestedRemoved - lowerRequested)
            | (allocatedAdded - allocatedRemoved - lowerAllocated)
            | (allocations - frees - lowerCount);
    if (above < 0) {
      claims.giveBackExcess(size);
    }
  }

  /** A block was closed that waits for other streams: it is active still, though nobody's. */
  public void discharged(long requested, long size) {
    countFree(requested, size);
    claims.discharge(size);
  }

  private void countFree(long requested, long size) {
    requestedRemoved += requested;
    allocatedRemoved += size;
    frees++;
    if (requested > SizeRules.SMALL_LIMIT) {
      largeRequestedRemoved += requested;
      largeAllocatedRemoved += size;
      largeFrees++;
    }
  }

  /** Gives all unused claims back, so that the gauge is exact. */
  void settle() {
    claims.settle();
  }

  /** Nobody uses the stripe any more. */
  public void end() {
    claims.end();
  }

  /** Makes the stripe's own peaks what is live. */
  public void resetPeaks() {
    requestedPeak = requested();
    allocatedPeak = allocated();
    countPeak = count();
    claims.settle();
  }

  /** What is live below so much, and not below so much, is nobody's affair; set by the claims. */
  void setBand(Claims.Amounts claimed, long unusedBytes, long unusedCount) {
    upperRequested = Math.min(requestedPeak, claimed.requested);
    upperAllocated = Math.min(allocatedPeak, claimed.allocated);
    upperCount = Math.min(countPeak, claimed.count);
    lowerRequested = claimed.requested - unusedBytes;
    lowerAllocated = claimed.allocated - unusedBytes;
    lowerCount = claimed.count - unusedCount;
  }

  public long requested() {
    return requestedAdded - requestedRemoved;
  }

  public long allocated() {
    return allocatedAdded - allocatedRemoved;
  }

  public long count() {
    return allocations - frees;
  }

  public long requestedPeak() {
    return requestedPeak;
  }

  public long allocatedPeak() {
    return allocatedPeak;
  }

  public long countPeak() {
    return countPeak;
  }
}
