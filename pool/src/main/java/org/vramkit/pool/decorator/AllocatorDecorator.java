package org.vramkit.pool.decorator;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.ByteSize;

/**
 * Passes everything on, tells its subclass what happens, and keeps the contract of closing. The
 * allocator beneath belongs to somebody else: closing a decorator leaves it open.
 *
 * <p>The hooks are called by whichever thread allocates, records or closes, also by several at
 * once. No lock is held while they run.
 */
abstract class AllocatorDecorator implements Allocator {
  private final Allocator upstream;
  private final AtomicLong liveCount = new AtomicLong();
  private final AtomicLong liveBytes = new AtomicLong();
  private volatile boolean closed;

  AllocatorDecorator(Allocator upstream) {
    this.upstream = Objects.requireNonNull(upstream, "upstream");
  }

  /** The allocation itself; an exception must leave everything as it was. */
  Allocation take(long bytes, Stream stream) {
    return upstream.allocate(bytes, stream);
  }

  /** An allocation was made and is about to be handed out. */
  void allocated(DecoratedAllocation allocation) {}

  /** A use by another stream was recorded. */
  void used(DecoratedAllocation allocation, Stream stream) {}

  /** An allocation is about to be closed, for the first time. */
  void freed(DecoratedAllocation allocation) {}

  /** The decorator was closed, for the first time; nothing is live. */
  void closed() {}

  /** Says more of what is still live, for the error of closing too early. */
  String describeLive() {
    return "";
  }

  @Override
  public final Device getDevice() {
    return upstream.getDevice();
  }

  @Override
  public final Allocation allocate(long bytes, Stream stream) {
    if (closed) {
      throw new ClosedException(this + " is closed");
    }
    DecoratedAllocation made = new DecoratedAllocation(this, take(bytes, stream));
    if (made.size > 0) {
      liveCount.incrementAndGet();
      liveBytes.addAndGet(made.size);
      allocated(made);
    }
    return made;
  }

  final void close(DecoratedAllocation allocation) {
    if (allocation.size > 0) {
      freed(allocation);
      liveBytes.addAndGet(-allocation.size);
      liveCount.decrementAndGet();
    }
  }

  @Override
  public final void trim(long keepBytes) {
    upstream.trim(keepBytes);
  }

  @Override
  public final AllocatorStatistics getStatistics() {
    return upstream.getStatistics();
  }

  @Override
  public final void resetPeaks() {
    upstream.resetPeaks();
  }

  /** Ends the decorator; the allocator beneath stays open. */
  @Override
  public final void close() {
    long live = liveCount.get();
    if (live != 0) {
      throw new IllegalStateException(
          "cannot close "
              + this
              + ": "
              + live
              + " allocations of "
              + ByteSize.format(liveBytes.get())
              + " are still open; close them first"
              + describeLive());
    }
    if (!closed) {
      closed = true;
      closed();
    }
  }

  @Override
  public String toString() {
    return getClass().getSimpleName() + " over " + upstream;
  }
}
