package org.vramkit.pool.buffer;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.Lender;
import org.vramkit.pool.support.Refusals;
import org.vramkit.pool.support.Stats;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.Streams;

/** The buffers of one device. */
final class DeviceCache {
  private final Allocator allocator;
  private final StreamClocks clocks;
  private final Lender<BufferKey, CachedBuffer> lender;

  /** Counters before the last reset. */
  private volatile BufferStatistics forgotten = BufferStatistics.ZERO;

  DeviceCache(Allocator allocator, long byteBudget) {
    this.allocator = allocator;
    this.clocks = new StreamClocks(allocator.getDevice());
    this.lender =
        new Lender<>(
            "the buffer pool",
            clocks,
            new Lender.Limits(
                byteBudget, Integer.MAX_VALUE, Long.MAX_VALUE, /* givesBackInUse= */ true));
  }

  /**
   * A buffer that is here, or a new one.
   *
   * @param count how many elements its user asked for
   */
  TypedBuffer acquire(BufferKey key, long count) {
    try {
      return lender.lend(request(key), loan -> new TypedBuffer(loan, key, count));
    } catch (DeviceOutOfMemoryException e) {
      throw Refusals.noMemoryFor(
          "a buffer of " + count + " elements of " + key.type() + ", rounded to " + key.count(), e);
    }
  }

  /** A buffer that is here; null if it had to be allocated. */
  @Nullable TypedBuffer tryAcquire(BufferKey key, long count) {
    return lender.tryLend(request(key), loan -> new TypedBuffer(loan, key, count));
  }

  private Lender.Request<BufferKey, CachedBuffer> request(BufferKey key) {
    Streams.refuseForeign(key.stream(), allocator.getDevice(), "the buffer pool");
    clocks.captured().refuseOutside(key.bytes(), key.stream());
    return new Lender.Request<>(
        key,
        key.bytes(),
        none -> false,
        each -> each.isOf(key.stream()),
        () -> new CachedBuffer(key, allocator, clocks.captured()));
  }

  /** Gives everything back to the allocator that no user has. */
  void empty() {
    lender.trim(0, /* waits= */ false);
  }

  /** Empties the cache for good. */
  void close() {
    lender.close();
  }

  /** Bytes that no user has. */
  long cachedBytes() {
    return lender.idleBytes();
  }

  BufferStatistics statistics() {
    return counted().minus(forgotten);
  }

  void resetStatistics() {
    forgotten = counted();
  }

  private BufferStatistics counted() {
    Stats stats = lender.stats();
    return new BufferStatistics(stats.getHits(), stats.getMisses(), stats.getReturns());
  }

  @Override
  public String toString() {
    return allocator + ", " + ByteSize.format(cachedBytes()) + " in free buffers";
  }
}
