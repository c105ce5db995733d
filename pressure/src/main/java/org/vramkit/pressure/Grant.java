package org.vramkit.pressure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.units.ByteSize;

/**
 * The memory that an admitted job may hold until it closes the grant. Safe for any thread.
 *
 * <p>Memory may outlive its grant, as results do. Allocations that are open when the grant is
 * closed count against the device until they are closed; the rest of the grant goes to the next in
 * line at once.
 */
public final class Grant implements AutoCloseable {
  private final Admission admission;
  private final Demand demand;
  private final GrantAllocator allocator;

  private final AtomicLong used = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();

  /** Changed under the lock of the admission. */
  private volatile long bytes;

  private volatile boolean closed;

  /** Number of growths of this grant in line; guarded by the lock of the admission. */
  int growths;

  /** Waiters that this grant has overtaken; guarded by the lock of the admission. */
  final List<Waiter> overtook = new ArrayList<>(0);

  Grant(Admission admission, Demand demand, Allocator upstream) {
    this.admission = admission;
    this.demand = demand;
    this.bytes = demand.bytes();
    this.allocator = new GrantAllocator(upstream, this);
  }

  /** Returns the allocator of the job, which is closed with the grant. */
  public Allocator getAllocator() {
    return allocator;
  }

  /** Returns the granted demand; if it is a learned one, its size is the estimate. */
  public Demand getDemand() {
    return demand;
  }

  /**
   * Returns the requested bytes that may be held at once; after the close, those that are still
   * held.
   */
  public long getBytes() {
    return bytes;
  }

  /** Returns the requested bytes that are held. */
  public long getUsedBytes() {
    return used.get();
  }

  /**
   * Returns the peak of requested bytes. A request that the grant refused counts too, unless it
   * exceeds the largest possible grant.
   */
  public long getPeakBytes() {
    return peak.get();
  }

  /** Returns the requested bytes that may still be allocated; 0 after the close. */
  long getAvailableBytes() {
    return closed ? 0 : Math.max(0, bytes - used.get());
  }

  /** Returns whether the grant is closed. */
  public boolean isClosed() {
    return closed;
  }

  /**
   * Increases the grant; waits, before all new demands, until the memory is free.
   *
   * @param more bytes beyond {@link #getBytes}; at least 1
   * @param timeout maximum time to wait; zero does not wait
   * @throws DeviceOutOfMemoryException if the device is too small, the timeout expires, or every
   *     open grant waits to grow and this request came last; the grant is unchanged
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code more} is less than 1
   * @throws ClosedException if the grant is closed, before the call or during the wait
   * @throws java.util.concurrent.CancellationException if the thread is interrupted; the interrupt
   *     flag stays set
   */
  public void grow(long more, Duration timeout) {
    admission.grow(this, more, timeout);
  }

  /**
   * Increases the grant as {@link #grow} does, without blocking a thread.
   *
   * @return a stage that completes with this grant, or with an exception of {@link #grow}; cancel
   *     the stage, or let it time out, to leave the line
   */
  public CompletionStage<Grant> growAsync(long more) {
    return admission.growAsync(this, more);
  }

  /** Ends the grant and admits others. Repeated calls have no effect. */
  @Override
  public void close() {
    try {
      admission.close(this);
    } catch (VirtualMachineError | LinkageError e) {
      admission.lock.brokenBy = e;
      throw e;
    }
  }

  PartLock lock() {
    return admission.lock;
  }

  /** Closes the grant and returns whether it was open. Called under the admission's lock. */
  boolean end() {
    boolean first = !closed;
    closed = true;
    return first;
  }

  /** Adds {@code change} bytes to the size. Called under the admission's lock. */
  void resize(long change) {
    long before = bytes;
    bytes = before + change;
  }

  /** Counts bytes as held, before they are allocated. */
  void claim(long wanted) {
    requireOpen();
    long before;
    do {
      before = used.get();
      if (wanted > bytes - before) {
        if (wanted <= admission.getMost() - before) {
          notePeak(before + wanted);
        }
        throw refuse(wanted, before);
      }
    } while (!used.compareAndSet(before, before + wanted));
    if (closed) {
      unclaim(wanted);
      requireOpen();
    }
    if (used.get() > bytes) {
      // The grant shrank meanwhile, because a cancelled growth was undone.
      unclaim(wanted);
      throw refuse(wanted, used.get());
    }
    notePeak(before + wanted);
  }

  void unclaim(long wanted) {
    used.addAndGet(-wanted);
    if (closed) {
      admission.settle(this);
    }
  }

  private void notePeak(long now) {
    long highest = peak.get();
    while (now > highest && !peak.compareAndSet(highest, now)) {
      highest = peak.get();
    }
  }

  void requireOpen() {
    if (closed) {
      throw closedError();
    }
  }

  ClosedException closedError() {
    return new ClosedException(
        this, "its memory is for other jobs", "allocate before the close, or acquire another");
  }

  private DeviceOutOfMemoryException refuse(long wanted, long before) {
    return new DeviceOutOfMemoryException(
        this
            + " is exhausted: asked for "
            + ByteSize.format(wanted)
            + ", but "
            + ByteSize.format(before)
            + " of its "
            + ByteSize.format(bytes)
            + " are in use; demand more, or grow it by "
            + ByteSize.formatUp(wanted - (bytes - before)),
        wanted,
        DriverStatus.NONE,
        null);
  }

  @Override
  public String toString() {
    return "grant for " + demand;
  }
}
