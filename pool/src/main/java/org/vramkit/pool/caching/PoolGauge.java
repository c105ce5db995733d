package org.vramkit.pool.caching;

/**
 * What is live in a private pool; all of it counts in the gauge over all pools too. Neither takes a
 * lock.
 */
final class PoolGauge extends LiveGauge {
  private final LiveGauge total;

  PoolGauge(LiveGauge total) {
    super(total.chunkBytes());
    this.total = total;
  }

  @Override
  void add(long requestedDelta, long allocatedDelta, long countDelta) {
    super.add(requestedDelta, allocatedDelta, countDelta);
    total.add(requestedDelta, allocatedDelta, countDelta);
  }

  @Override
  void pendingAdded(long bytes) {
    super.pendingAdded(bytes);
    total.pendingAdded(bytes);
  }

  @Override
  void pendingRemoved(long bytes) {
    super.pendingRemoved(bytes);
    total.pendingRemoved(bytes);
  }
}
