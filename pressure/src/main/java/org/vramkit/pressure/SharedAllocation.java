package org.vramkit.pressure;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

/**
 * The handle of one of several owners of an allocation, which is freed when the last owner closes
 * its handle. {@link #retain} adds an owner and {@link #close} removes this one. Each owner has its
 * own handle, so closing a handle twice does not affect other owners. Safe for any thread.
 *
 * <p>If an owner's work runs on another stream, it records that use before the close, as for any
 * allocation.
 */
public final class SharedAllocation implements Allocation {
  /** The number of owners. */
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
   * Takes over an allocation, which from now on only the owners close.
   *
   * @throws ClosedException if the allocation is closed
   */
  public static SharedAllocation of(Allocation allocation) {
    Objects.requireNonNull(allocation, "allocation");
    if (allocation.isClosed()) {
      throw new ClosedException(allocation, "it cannot be shared", "share it before closing it");
    }
    return new SharedAllocation(allocation, new Owners());
  }

  /**
   * Adds an owner.
   *
   * @return the handle of the new owner, for it to close
   * @throws ClosedException if this handle is closed
   */
  public SharedAllocation retain() {
    requireOpen();
    // Created before it is counted: without Java heap, no owner is counted that has no handle.
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

  /** Returns the number of owners. */
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

  /** Removes this owner; the last one frees the memory. */
  @Override
  public void close() {
    if (CLOSED.compareAndSet(this, 0, 1) && Owners.COUNT.decrementAndGet(owners) == 0) {
      whole.close();
    }
  }

  private void requireOpen() {
    if (closed != 0) {
      throw closedError();
    }
  }

  private ClosedException closedError() {
    return new ClosedException(
        "this handle of " + whole, "its memory may be reused", "retain a handle for each user");
  }

  @Override
  public String toString() {
    return (isClosed() ? "closed owner of " : "one of " + owners.count + " owners of ") + whole;
  }
}
