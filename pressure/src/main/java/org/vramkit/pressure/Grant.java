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
 * The turn of a job: memory that it may hold until it closes this. Not bound to a thread, and safe
 * for any number of them.
 *
 * <p>Memory may outlive its grant, as results do: what is still held when the grant is closed
 * counts against the device until it is closed too, and the rest goes to the next in line at once.
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

  /** Growths of this grant that are in line; guarded by the lock of the admission. */
  int growths;

  /** Waiters that were before this grant in line; guarded by the lock of the admission. */
  final List<Waiter> overtook = new ArrayList<>(0);

  Grant(Admission admission, Demand demand, Allocator upstream) {
    this.admission = admission;
    this.demand = demand;
    this.bytes = demand.bytes();
    this.allocator = new GrantAllocator(upstream, this);
  }

  /** The allocator of the job; ends with the grant. */
  public Allocator getAllocator() {
    return allocator;
  }

  /** The demand as it was granted: the size of a learned one is what was learned. */
  public Demand getDemand() {
    return demand;
  }

  /** Requested bytes that may be held at once; once closed, those that still are. */
  public long getBytes() {
    return bytes;
  }

  /** Requested bytes that are held. */
  public long getUsedBytes() {
    return used.get();
  }

  /**
   * The most that were held at once, or would have been if the grant had allowed what the device
   * can give.
   */
  public long getPeakBytes() {
    return peak.get();
  }

  /** Tells whether it was closed. */
  public boolean isClosed() {
    return closed;
  }

  /**
   * Asks for more memory, and waits before all new demands until it is there.
   *
   * @param more bytes beyond {@link #getBytes}; at least 1
   * @param timeout how long to wait at most; zero does not wait
   * @throws DeviceOutOfMemoryException if the device is too small, if the time is over, or if every
   *     running grant waits to grow and this one asked last; the grant stays as it is
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code more} is less than 1
   * @throws ClosedException if the grant is closed, before or meanwhile
   * @throws java.util.concurrent.CancellationException if the thread is interrupted, and stays so
   */
  public void grow(long more, Duration timeout) {
    admission.grow(this, more, timeout);
  }

  /**
   * Asks for more memory, as {@link #grow} does, without a thread that waits.
   *
   * @return completes with this grant, or by what {@link #grow} throws; cancel it, or let it time
   *     out, to leave the line
   */
  public CompletionStage<Grant> growAsync(long more) {
    return admission.growAsync(this, more);
  }

  /** Ends the turn and lets in others. Harmless when repeated. */
  @Override
  public void close() {
    admission.close(this);
  }

  /** Notes the end; the caller holds the lock of the admission. */
  boolean end() {
    boolean first = !closed;
    closed = true;
    return first;
  }

  /** Changes its size; the caller holds the lock of the admission. */
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
      // A growth that came too late was taken back meanwhile.
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
        "out of memory by grant: asked for "
            + ByteSize.format(wanted)
            + ", "
            + ByteSize.format(before)
            + " of "
            + ByteSize.format(bytes)
            + " are held by "
            + this
            + "; demand more, or let it grow by "
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
