package org.vramkit.pressure;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/**
 * Forwards every call to another allocator, which it leaves open, and observes what its own users
 * hold. No lock is held while a hook runs.
 */
abstract class ForwardingAllocator implements Allocator {
  /** The alignment of a request that names none. */
  static final long ANY = 1;

  private static final long CLOSED = -1;

  private final Allocator upstream;

  /** Allocations that are held or being made; {@link #CLOSED} once there are none for good. */
  private final AtomicLong holders = new AtomicLong();

  private final AtomicLong liveBytes = new AtomicLong();

  ForwardingAllocator(Allocator upstream) {
    this.upstream = Objects.requireNonNull(upstream, "upstream");
  }

  /** Allocates; a failure must leave the state unchanged. */
  abstract Allocation take(long bytes, long alignment, Stream stream);

  /**
   * Observes a close, after the memory went back.
   *
   * @param bytes its size; 0 after a request that has made nothing
   */
  void returned(long bytes) {}

  /**
   * Observes that memory went back, while its user still counts as a {@linkplain #getHolders
   * holder}.
   */
  void wentBack() {}

  /** Observes an allocation of at least one byte, before its user has it. */
  void handedOut(HeldAllocation allocation) {}

  /** Observes the close of an allocation by its user. */
  void closed(HeldAllocation allocation) {}

  final Allocation takeUpstream(long bytes, long alignment, Stream stream) {
    return alignment == ANY
        ? upstream.allocate(bytes, stream)
        : upstream.allocateAligned(bytes, alignment, stream);
  }

  /** Allocations that users hold or that are being made. */
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
    HeldAllocation made = begin();
    try {
      return finish(made, take(bytes, alignment, stream));
    } catch (RuntimeException | Error e) {
      abandon();
      throw e;
    }
  }

  /** Begins a request: it counts as held from here on, until it is closed or abandoned. */
  final HeldAllocation begin() {
    HeldAllocation made = new HeldAllocation(this);
    if (!hold()) {
      throw new ClosedException(this, "it makes no allocations any more", "make a new one");
    }
    return made;
  }

  /** Counts one more holder, until it is {@linkplain #abandon abandoned}; false after the close. */
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

  final HeldAllocation finish(HeldAllocation begun, Allocation made) {
    begun.accept(made);
    if (made.getSize() > 0) {
      liveBytes.addAndGet(made.getSize());
      handedOut(begun);
    } else {
      abandon();
    }
    return begun;
  }

  /** Ends a request that has allocated nothing. */
  final void abandon() {
    holders.decrementAndGet();
    returned(0);
  }

  /** Follows the close of an allocation of at least one byte. */
  final void release(long bytes) {
    liveBytes.addAndGet(-bytes);
    wentBack();
    holders.decrementAndGet();
    returned(bytes);
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
  public final boolean addReclaimer(Reclaimer reclaimer) {
    return upstream.addReclaimer(reclaimer);
  }

  @Override
  public final void removeReclaimer(Reclaimer reclaimer) {
    upstream.removeReclaimer(reclaimer);
  }

  /** Closes this allocator; the upstream allocator stays open. */
  @Override
  public void close() {
    if (holders.get() != CLOSED && !holders.compareAndSet(0, CLOSED)) {
      throw new IllegalStateException(
          "cannot close "
              + this
              + ": "
              + Count.of(getHolders(), "allocation")
              + " of "
              + ByteSize.format(liveBytes.get())
              + ", open or being made; close them first");
    }
  }

  @Override
  public String toString() {
    return getClass().getSimpleName() + " over " + upstream;
  }
}
