package org.vramkit.pressure;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/**
 * Forwards every call to another allocator, which it leaves open, and counts the memory that its
 * own users hold. Subclasses override hooks, which are called without a lock.
 */
abstract class ForwardingAllocator implements Allocator {
  /** The alignment of a request that specifies none. */
  static final long ANY = 1;

  private static final long CLOSED = -1;

  private final Allocator upstream;

  /** The lock of the part to which this allocator belongs. */
  final PartLock lock;

  /** Number of allocations that are held or in progress; {@link #CLOSED} after the close. */
  private final AtomicLong holders = new AtomicLong();

  private final AtomicLong liveBytes = new AtomicLong();

  ForwardingAllocator(Allocator upstream, PartLock lock) {
    this.upstream = Objects.requireNonNull(upstream, "upstream");
    this.lock = lock;
  }

  /** Allocates for a user. A failure must leave the state unchanged. */
  abstract Allocation take(long bytes, long alignment, Stream stream);

  /**
   * Called when a {@linkplain #getHolders holder} was removed.
   *
   * @param bytes the freed bytes; 0 if the request allocated nothing
   */
  void released(long bytes) {}

  /** Called when memory was freed, before its holder is removed. */
  void freed() {}

  /** Called after an allocation of at least one byte, before its user receives it. */
  void allocated(HeldAllocation allocation) {}

  /** Called when a user has closed an allocation. */
  void closed(HeldAllocation allocation) {}

  final Allocation takeUpstream(long bytes, long alignment, Stream stream) {
    return alignment == ANY
        ? upstream.allocate(bytes, stream)
        : upstream.allocateAligned(bytes, alignment, stream);
  }

  /** Returns the number of allocations that users hold or that are in progress. */
  final long getHolders() {
    return Math.max(0, holders.get());
  }

  final long getLiveBytes() {
    return liveBytes.get();
  }

  @Override
  public final Device getDevice() {
    return upstream.getDevice();
  }

  @Override
  public final Allocation allocate(long bytes, Stream stream) {
    return allocateAligned(bytes, ANY, stream);
  }

  @Override
  public final Allocation allocateAligned(long bytes, long alignment, Stream stream) {
    return serve(bytes, () -> take(bytes, alignment, stream));
  }

  final Allocation serve(long bytes, Supplier<Allocation> taking) {
    HeldAllocation made = begin();
    Allocation taken = null;
    try {
      taken = taking.get();
      return finish(made, taken, bytes);
    } catch (RuntimeException | Error e) {
      if (taken != null && e instanceof Error lost) {
        lock.brokenBy = lost;
      }
      giveUp(taken, e);
      throw e;
    }
  }

  /** Ends a failed request. */
  private void giveUp(@Nullable Allocation taken, Throwable failure) {
    try {
      if (taken != null) {
        Batch.after(failure, taken::close);
      }
      abandon();
    } catch (VirtualMachineError | LinkageError e) {
      lock.brokenBy = e;
      throw e;
    }
  }

  /** Begins a request, which counts as a holder until it is closed or abandoned. */
  final HeldAllocation begin() {
    lock.requireIntact();
    HeldAllocation made = new HeldAllocation(this);
    if (!hold()) {
      throw new ClosedException(this, "it can no longer allocate", "create a new one");
    }
    return made;
  }

  /** Adds a holder, which {@link #abandon} removes; returns false after the close. */
  final boolean hold() {
    long before;
    do {
      before = holders.get();
      if (before == CLOSED) {
        return false;
      }
    } while (!holders.compareAndSet(before, before + 1));
    return true;
  }

  final HeldAllocation finish(HeldAllocation begun, Allocation made, long bytes) {
    begun.accept(made, bytes);
    if (bytes > 0) {
      liveBytes.addAndGet(bytes);
      allocated(begun);
    } else {
      abandon();
    }
    return begun;
  }

  /** Ends a request that has allocated nothing. */
  final void abandon() {
    holders.decrementAndGet();
    released(0);
  }

  /** Removes the holder of a closed allocation of at least one byte. */
  final void release(long bytes) {
    liveBytes.addAndGet(-bytes);
    freed();
    holders.decrementAndGet();
    released(bytes);
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

  @Override
  public long getLimit() {
    return upstream.getLimit();
  }

  @Override
  public long getAvailableBytes() {
    return upstream.getAvailableBytes();
  }

  @Override
  public boolean addReclaimer(Reclaimer reclaimer) {
    return upstream.addReclaimer(reclaimer);
  }

  @Override
  public void removeReclaimer(Reclaimer reclaimer) {
    upstream.removeReclaimer(reclaimer);
  }

  /** Closes this allocator; the upstream allocator stays open. */
  @Override
  public void close() {
    if (lock.isBroken()) {
      holders.set(CLOSED); // The number of holders may be wrong.
      return;
    }
    if (holders.get() != CLOSED && !holders.compareAndSet(0, CLOSED)) {
      throw new IllegalStateException(
          "cannot close "
              + this
              + ", which has "
              + Count.of(getHolders(), "open or unfinished allocation")
              + " of "
              + ByteSize.format(liveBytes.get())
              + "; close them first");
    }
  }

  @Override
  public String toString() {
    return getClass().getSimpleName() + " over " + upstream;
  }
}
