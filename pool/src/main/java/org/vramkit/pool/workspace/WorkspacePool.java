package org.vramkit.pool.workspace;

import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.support.FreeLists;
import org.vramkit.pool.support.OutOfMemoryRetry;
import org.vramkit.pool.support.PoolEdge;
import org.vramkit.pool.support.PoolLock;
import org.vramkit.pool.support.Refusals;
import org.vramkit.pool.support.Streams;
import org.vramkit.pool.support.TrimTarget;

/**
 * Workspaces from slabs of an allocator, in classes of powers of two from 1 KiB. A slab that comes
 * back on the stream that wants one next is leased again without any driver call; on another stream
 * that stream is made to wait for the last one. Safe for any thread.
 *
 * <p>One lock guards the free slabs; neither the allocator nor the driver is called under it.
 */
public final class WorkspacePool implements Workspace {
  private final Allocator allocator;
  private final OutOfMemoryRetry retry = new OutOfMemoryRetry();
  private final PoolLock lock = new PoolLock();
  private final FreeLists<Long, Slab> free;
  private final int perClassCapacity;
  private final long byteBudget;
  private boolean closed;

  WorkspacePool(Allocator allocator, int perClassCapacity, long byteBudget) {
    this.allocator = allocator;
    this.free = new FreeLists<>(Slab::size, PoolEdge.of(allocator.getDevice()));
    this.perClassCapacity = perClassCapacity;
    this.byteBudget = byteBudget;
  }

  /** Settings for a pool over an allocator, which the pool does not close. */
  public static WorkspacePoolBuilder builder(Allocator allocator) {
    return new WorkspacePoolBuilder(allocator);
  }

  /** A pool with the default settings. */
  public static WorkspacePool create(Allocator allocator) {
    return builder(allocator).build();
  }

  @Override
  public WorkspaceLease acquire(long bytes, Stream stream) {
    long size = SlabClasses.sizeFor(bytes);
    requireOurs(stream);
    Slab slab;
    lock.lock();
    try {
      if (closed) {
        throw closedError();
      }
      slab = free.takePreferring(size, each -> each.wasLastUsedBy(stream));
    } finally {
      lock.unlock();
    }
    return slab == null ? leaseNew(size, bytes, stream) : lease(slab, stream);
  }

  private SlabLease leaseNew(long size, long bytes, Stream stream) {
    Slab fresh = new Slab(allocate(size, bytes, stream));
    if (isClosed()) {
      // Closed is closed, also while memory was looked for.
      ClosedException late = closedError();
      Batch.after(late, () -> giveBack(fresh));
      throw late;
    }
    return SlabLease.of(this, fresh);
  }

  private boolean isClosed() {
    return lock.get(() -> closed);
  }

  private static ClosedException closedError() {
    return new ClosedException(
        "the workspace pool", "it leases no slabs any more", "make a new one");
  }

  private SlabLease lease(Slab slab, Stream stream) {
    try {
      slab.handTo(stream);
    } catch (RuntimeException | Error e) {
      Batch.after(e, () -> giveBack(slab));
      throw e;
    }
    return SlabLease.of(this, slab);
  }

  private void requireOurs(Stream stream) {
    Streams.refuseForeign(stream, allocator.getDevice(), "the workspace pool");
  }

  /** A slab's memory; where there is none, what lies free here goes back first. */
  private Allocation allocate(long size, long bytes, Stream stream) {
    try {
      return retry.allocate(() -> allocator.allocate(size, stream), () -> evictTo(0));
    } catch (DeviceOutOfMemoryException e) {
      throw Refusals.noMemoryFor(
          "a workspace of class " + ByteSize.format(size) + " (asked for " + bytes + " bytes)", e);
    }
  }

  void giveBack(Slab slab) {
    List<Slab> excess;
    lock.lock();
    try {
      // One beyond the budget would drive all others out before it goes itself.
      if (closed || slab.size() > byteBudget || free.count(slab.size()) >= perClassCapacity) {
        excess = List.of(slab);
      } else {
        free.add(slab.size(), slab);
        excess = free.evictTo(byteBudget);
      }
    } finally {
      lock.unlock();
    }
    release(excess);
  }

  /** Gives slabs back to the allocator; those that it cannot have yet stay free here. */
  private void release(List<Slab> slabs) {
    Batch.forEach(slabs, each -> each.free(this::keep));
  }

  private void keep(Slab slab) {
    lock.perform(() -> free.add(slab.size(), slab));
  }

  /**
   * Gives free slabs back to the allocator, the least recently used first.
   *
   * @param keepBytes how many bytes of free slabs may stay; not negative
   * @return how many bytes went back
   */
  public long trim(long keepBytes) {
    TrimTarget.requireNotNegative(keepBytes);
    return retry.giveBack(() -> evictTo(keepBytes));
  }

  private long evictTo(long keepBytes) {
    List<Slab> evicted = lock.get(() -> free.evictTo(keepBytes));
    release(evicted);
    return evicted.stream().mapToLong(Slab::size).sum();
  }

  @Override
  public long getFreeSlabs() {
    return lock.get(free::count);
  }

  @Override
  public long getFreeBytes() {
    return lock.get(free::bytes);
  }

  /** Gives every free slab back; one that is still leased goes back when its lease is closed. */
  @Override
  public void close() {
    lock.perform(() -> closed = true);
    trim(0);
  }

  @Override
  public String toString() {
    return "WorkspacePool over "
        + allocator
        + ", "
        + Count.of(getFreeSlabs(), "free slab")
        + " of "
        + ByteSize.format(getFreeBytes());
  }
}
