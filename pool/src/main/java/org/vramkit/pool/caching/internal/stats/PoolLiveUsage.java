package org.vramkit.pool.caching.internal.stats;

/**
 * What is live in a private pool; all of it counts in the gauge over all pools too. Neither takes a
 * lock.
 */
public final class PoolLiveUsage extends LiveUsage {
  private final LiveUsage total;

  public PoolLiveUsage(LiveUsage total) {
    super(total);
    this.total = total;
  }

  @Override
  void add(long requestedDelta, long allocatedDelta, long countDelta) {
    super.add(requestedDelta, allocatedDelta, countDelta);
    total.add(requestedDelta, allocatedDelta, countDelta);
  }

  @Override
  void closedAndPending(long bytes) {
    super.closedAndPending(bytes);
    total.closedAndPending(bytes);
  }

  @Override
  public void pendingRemoved(long bytes) {
    super.pendingRemoved(bytes);
    total.pendingRemoved(bytes);
  }

  /** They are over all pools. */
  @Override
  void resetTagPeaks() {}

  @Override
  long requestedRoom() {
    return Math.min(super.requestedRoom(), total.requestedRoom());
  }

  @Override
  long allocatedRoom() {
    return Math.min(super.allocatedRoom(), total.allocatedRoom());
  }

  @Override
  long countRoom() {
    return Math.min(super.countRoom(), total.countRoom());
  }
}
