package org.vramkit.pool.caching;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.option.SizeRules;

/** A view of a private pool as an allocator. Its close does nothing. */
final class PoolAllocator implements Allocator {
  private final PrivatePool pool;

  PoolAllocator(PrivatePool pool) {
    this.pool = pool;
  }

  @Override
  public Device getDevice() {
    return pool.getDevice();
  }

  @Override
  public Allocation allocate(long bytes, Stream stream) {
    return pool.allocate(bytes, stream);
  }

  @Override
  public Allocation allocateAligned(long bytes, long alignment, Stream stream) {
    SizeRules.requireAlignment(alignment);
    return pool.allocate(bytes, alignment, stream);
  }

  @Override
  public void trim(long keepBytes) {
    pool.trim(keepBytes);
  }

  @Override
  public AllocatorStatistics getStatistics() {
    return pool.arena().statistics.read();
  }

  @Override
  public void resetPeaks() {
    pool.arena().statistics.resetPeaks();
  }

  @Override
  public long getLimit() {
    return Math.min(pool.options.limitBytes(), pool.allocatorArena().heap.limit.ofAll());
  }

  @Override
  public long getAvailableBytes() {
    return Math.min(pool.arena().availableBytes(), pool.allocatorArena().availableBytes());
  }

  /** Adds a reclaimer of this pool alone, because the pool keeps memory that is freed in it. */
  @Override
  public boolean addReclaimer(Reclaimer reclaimer) {
    return pool.arena().addReclaimer(reclaimer);
  }

  @Override
  public void removeReclaimer(Reclaimer reclaimer) {
    pool.arena().removeReclaimer(reclaimer);
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return pool.toString();
  }
}
