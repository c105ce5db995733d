package org.vramkit.pool.buffer;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.LeasePool;
import org.vramkit.pool.support.Remedies;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.Streams;

/** The buffers of a device, live and cached. */
final class DeviceCache {
  private final Allocator allocator;
  private final StreamClocks clocks;
  private final LeasePool<BufferKey, CachedBuffer> leases;
  private final Reclaimer reclaimer;

  /** The counters at the last reset. */
  private volatile BufferStatistics forgotten = BufferStatistics.ZERO;

  DeviceCache(Allocator allocator, long byteBudget) {
    this.allocator = allocator;
    this.clocks = new StreamClocks(allocator.getDevice());
    this.leases =
        new LeasePool<>(
            "the buffer pool",
            clocks,
            new LeasePool.Limits(
                byteBudget,
                Integer.MAX_VALUE,
                Long.MAX_VALUE,
                /* givesBackInUse= */ true,
                /* steals= */ false));
    this.reclaimer = leases::reclaim;
    allocator.addReclaimer(reclaimer);
  }

  /** Acquires a cached buffer, or a new one, for {@code count} elements. */
  TypedBuffer acquire(BufferKey key, long count) {
    try {
      return leases.lease(request(key), lease -> new TypedBuffer(lease, key, count));
    } catch (DeviceOutOfMemoryException e) {
      throw Remedies.noMemoryFor(
          "a buffer of " + count + " elements of " + key.type() + ", rounded to " + key.count(), e);
    }
  }

  /** Acquires a cached buffer; null if there is none. */
  @Nullable TypedBuffer tryAcquire(BufferKey key, long count) {
    return leases.tryLease(request(key), lease -> new TypedBuffer(lease, key, count));
  }

  private LeasePool.Request<BufferKey, CachedBuffer> request(BufferKey key) {
    Streams.refuseForeign(key.stream(), allocator.getDevice(), "the buffer pool");
    clocks.captured().refuseOutside(key.bytes(), key.stream());
    return new LeasePool.Request<>(
        key, key.bytes(), key.stream(), () -> new CachedBuffer(key, allocator, clocks.captured()));
  }

  void empty() {
    leases.trim(0, /* waits= */ false);
  }

  void close() {
    allocator.removeReclaimer(reclaimer);
    leases.close();
  }

  long cachedBytes() {
    return leases.idleBytes();
  }

  BufferStatistics statistics() {
    return counted().minus(forgotten);
  }

  void resetStatistics() {
    forgotten = counted();
  }

  private BufferStatistics counted() {
    AllocatorStatistics figures = leases.stats().read();
    return new BufferStatistics(
        figures.servedFromPool(), figures.misses(), figures.allocations().removed());
  }

  @Override
  public String toString() {
    return allocator + ", " + ByteSize.format(cachedBytes()) + " in free buffers";
  }
}
