package org.vramkit.pool.decorator;

import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.Remedies;
import org.vramkit.pool.support.Sizes;

/**
 * Limits the requested bytes that are live at once, even if the upstream allocator could provide
 * more. The limit is exact with any number of threads. Limits can be nested.
 */
public final class LimitingAllocator extends AllocatorDecorator {
  private final long limit;
  private final AtomicLong used = new AtomicLong();

  private LimitingAllocator(Allocator upstream, long limit) {
    super(upstream);
    this.limit = Sizes.requireNotNegative("a limit", limit);
  }

  /**
   * Limits the allocations of an allocator.
   *
   * @param limitBytes maximum requested bytes that are live at once; not negative
   */
  public static LimitingAllocator over(Allocator upstream, long limitBytes) {
    return new LimitingAllocator(upstream, limitBytes);
  }

  @Override
  Allocation doAllocate(long bytes, long alignment, Stream stream) {
    if (bytes <= 0) {
      return super.doAllocate(bytes, alignment, stream);
    }
    claim(bytes);
    try {
      return super.doAllocate(bytes, alignment, stream);
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
                + remedies(before, bytes),
            bytes,
            DriverStatus.NONE,
            null);
      }
    } while (!used.compareAndSet(before, before + bytes));
  }

  /** Returns what lets a request succeed, also by the limits below this one. */
  private String remedies(long held, long bytes) {
    long below = super.getAvailableBytes();
    long available = Math.min(limit - held, below);
    Remedies ways = new Remedies().freeOf(held, bytes - available);
    if (bytes <= below) {
      long least = bytes > Long.MAX_VALUE - held ? Long.MAX_VALUE : held + bytes;
      ways.add("set a limit of at least " + ByteSize.formatUp(least));
    }
    ways.askForAtMost(available);
    return ways.isEmpty()
        ? "free memory of other users: the limit below has none left"
        : ways.toString();
  }

  @Override
  void freed(DecoratedAllocation allocation) {
    used.addAndGet(-allocation.getSize());
  }

  /** Returns the maximum requested bytes that may be live at once, by this limit or one below. */
  @Override
  public long getLimit() {
    return Math.min(limit, super.getLimit());
  }

  /** Returns the requested bytes that are live. */
  public long getUsedBytes() {
    return used.get();
  }

  /** Returns the bytes that can be requested before this limit or one below is reached. */
  @Override
  public long getAvailableBytes() {
    return Math.min(limit - used.get(), super.getAvailableBytes());
  }
}
