package org.vramkit.pool.decorator;

import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.Refusals;

/**
 * Lets its users hold a number of requested bytes at once and no more, whatever the allocator
 * beneath could give. Exact with any number of threads; limits over limits compose.
 */
public final class LimitingAllocator extends AllocatorDecorator {
  private final long limit;
  private final AtomicLong used = new AtomicLong();

  private LimitingAllocator(Allocator upstream, long limit) {
    super(upstream);
    if (limit < 0) {
      throw new InvalidArgumentException("a limit must not be negative: " + limit + " bytes");
    }
    this.limit = limit;
  }

  /**
   * Limits what is allocated through it.
   *
   * @param limitBytes most requested bytes held at once; not negative
   */
  public static LimitingAllocator over(Allocator upstream, long limitBytes) {
    return new LimitingAllocator(upstream, limitBytes);
  }

  @Override
  Allocation take(long bytes, long alignment, Stream stream) {
    if (bytes <= 0) {
      return super.take(bytes, alignment, stream);
    }
    claim(bytes);
    try {
      return super.take(bytes, alignment, stream);
    } catch (RuntimeException | Error e) {
      used.addAndGet(-bytes);
      throw e;
    }
  }

  private void claim(long bytes) {
    long before;
    do {
      before = used.get();
      if (bytes > limit - before) {
        throw new DeviceOutOfMemoryException(
            "out of memory by limit: asked for "
                + ByteSize.format(bytes)
                + ", "
                + ByteSize.format(before)
                + " of "
                + ByteSize.format(limit)
                + " are held; "
                + Refusals.advice(
                    bytes,
                    limit - before,
                    before,
                    "set a limit of at least " + ByteSize.formatUp(leastLimit(before, bytes))),
            bytes,
            DriverStatus.NONE,
            null);
      }
    } while (!used.compareAndSet(before, before + bytes));
  }

  private static long leastLimit(long held, long bytes) {
    return bytes > Long.MAX_VALUE - held ? Long.MAX_VALUE : held + bytes;
  }

  @Override
  void freed(DecoratedAllocation allocation) {
    used.addAndGet(-allocation.size);
  }

  /** Most requested bytes held at once. */
  public long getLimit() {
    return limit;
  }

  /** Requested bytes held now. */
  public long getUsedBytes() {
    return used.get();
  }

  /** Requested bytes that may be held beyond that. */
  public long getAvailableBytes() {
    return limit - used.get();
  }
}
