package org.vramkit.pressure;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

/**
 * One of several owners of an allocation, which goes back when the last of them closes its handle.
 * {@link #retain} makes another owner, {@link #close} releases this one; each owner has a handle of
 * its own, so closing one twice releases nothing of the others. Safe for any thread.
 *
 * <p>An owner whose work runs on another stream records that use before it closes, as for any
 * allocation.
 */
public final class SharedAllocation implements Allocation {
  /** How many owners there are. */
  private static final class Owners {
    static final AtomicIntegerFieldUpdater<Owners> COUNT =
        AtomicIntegerFieldUpdater.newUpdater(Owners.class, "count");

    volatile int count = 1;
  }

  private static final AtomicIntegerFieldUpdater<SharedAllocation> CLOSED =
      AtomicIntegerFieldUpdater.newUpdater(SharedAllocation.class, "closed");

  private final Allocation whole;
  private final Owners owners;

  /** 1 from the close on. */
  private volatile int closed;

  private SharedAllocation(Allocation whole, Owners owners) {
    this.whole = whole;
    this.owners = owners;
  }

  /**
   * Takes over an allocation: from here on it is closed by its owners alone.
   *
   * @throws ClosedException if it is closed
   */
  public static SharedAllocation of(Allocation allocation) {
    Objects.requireNonNull(allocation, "allocation");
    if (allocation.isClosed()) {
      throw new ClosedException(allocation, "it cannot be shared", "share it before the close");
    }
    return new SharedAllocation(allocation, new Owners());
  }

  /**
   * Makes another owner, who closes the handle that is returned.
   *
   * @throws ClosedException if this owner has closed its own
   */
  public SharedAllocation retain() {
    requireOpen();
    // Made first: where the JVM has no memory for it, no owner is counted that never closes.
    SharedAllocation made = new SharedAllocation(whole, owners);
    int before;
    do {
      before = owners.count;
      if (before == 0) {
        throw closedError();
      }
    } while (!Owners.COUNT.compareAndSet(owners, before, before + 1));
    return made;
  }

  /** How many owners there are. */
  public int getOwners() {
    return owners.count;
  }

  @Override
  public long getAddress() {
    requireOpen();
    return whole.getAddress();
  }

  @Override
  public long getSize() {
    return whole.getSize();
  }

  @Override
  public Stream getStream() {
    return whole.getStream();
  }

  @Override
  public boolean isClosed() {
    return closed != 0;
  }

  @Override
  public void recordUse(Stream stream) {
    requireOpen();
    whole.recordUse(stream);
  }

  /**
   * Releases this owner; the last one frees the memory. Where an error of the JVM cuts that off,
   * this owner stays, and a later close goes on.
   */
  @Override
  public void close() {
    if (!CLOSED.compareAndSet(this, 0, 1)) {
      return;
    }
    int left = 1;
    try {
      left = Owners.COUNT.decrementAndGet(owners);
      if (left == 0) {
        whole.close();
      }
    } catch (Error e) {
      // By no call: the stack may be full.
      if (left == 0) {
        owners.count = 1;
      }
      closed = 0;
      throw e;
    }
  }

  private void requireOpen() {
    if (closed != 0) {
      throw closedError();
    }
  }

  private ClosedException closedError() {
    return new ClosedException(
        "this owner of " + whole, "its memory may be another's", "retain it for each user");
  }

  @Override
  public String toString() {
    return (isClosed() ? "closed owner of " : "one of " + owners.count + " owners of ") + whole;
  }
}
