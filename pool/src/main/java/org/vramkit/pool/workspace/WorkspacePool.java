package org.vramkit.pool.workspace;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.support.LeasePool;
import org.vramkit.pool.support.Remedies;
import org.vramkit.pool.support.Sizes;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.Streams;

/**
 * Leases workspaces from slabs of an allocator, in size classes of powers of two from 1 KiB. A slab
 * that was last used on the same stream is leased again without a driver call. If it was last used
 * on another stream, the leasing stream waits for that use. Thread-safe.
 *
 * <p>Neither the allocator nor the driver is called under the lock of the cache. A captured stream
 * gets no workspace, because each launch of the graph would use the slab, even while another lease
 * has it.
 *
 * <p>Before the pool allocates, it returns free slabs as long as its slabs would have more than
 * twice the peak of the bytes on lease plus 64 MiB.
 */
public final class WorkspacePool implements Workspace {
  private static final long SMALLEST_CLASS = 1024;
  private static final long LARGEST_CLASS = 1L << 62;

  private final Allocator allocator;
  private final StreamClocks clocks;
  private final LeasePool<Long, Slab> leases;
  private final Reclaimer reclaimer;

  WorkspacePool(Allocator allocator, int perClassCapacity, long byteBudget) {
    this.allocator = allocator;
    this.clocks = new StreamClocks(allocator.getDevice());
    this.leases =
        new LeasePool<>(
            "the workspace pool",
            clocks,
            new LeasePool.Limits(
                byteBudget,
                perClassCapacity,
                Long.MAX_VALUE,
                /* givesBackInUse= */ false,
                /* steals= */ false));
    this.reclaimer = leases::reclaim;
    allocator.addReclaimer(reclaimer);
  }

  /** Returns a builder for a pool over an allocator, which the pool does not close. */
  public static WorkspacePoolBuilder builder(Allocator allocator) {
    return new WorkspacePoolBuilder(allocator);
  }

  /** Creates a pool with the default settings. */
  public static WorkspacePool create(Allocator allocator) {
    return builder(allocator).build();
  }

  /** Returns the class of a request: the next power of two, at least 1 KiB (requirement S1.1). */
  static long classFor(long bytes) {
    if (bytes < 0 || bytes > LARGEST_CLASS) {
      throw new InvalidArgumentException(
          "a workspace must have from 0 to 2^62 bytes, not "
              + bytes
              + (bytes < 0 ? "; " + ByteSize.NEGATIVE_HINT : ""));
    }
    return bytes <= SMALLEST_CLASS ? SMALLEST_CLASS : Long.highestOneBit(bytes - 1) << 1;
  }

  @Override
  public WorkspaceLease acquire(long bytes, Stream stream) {
    long size = classFor(bytes);
    Streams.refuseForeign(stream, allocator.getDevice(), "the workspace pool");
    clocks.captured().refuseOutside(size, stream);
    LeasePool.Request<Long, Slab> request =
        new LeasePool.Request<>(
            size, size, stream, () -> new Slab(size, stream, allocator, clocks));
    try {
      return leases.lease(request, lease -> new SlabLease(lease, size, stream));
    } catch (DeviceOutOfMemoryException e) {
      throw Remedies.noMemoryFor(
          "a workspace of class " + ByteSize.format(size) + " (asked for " + bytes + " bytes)", e);
    }
  }

  /**
   * Returns free slabs to the allocator, the least recently used first.
   *
   * @param keepBytes maximum bytes of free slabs to keep; not negative
   * @return the bytes that were returned
   */
  public long trim(long keepBytes) {
    Sizes.requireTrimTarget(keepBytes);
    return leases.trim(keepBytes, /* waits= */ false);
  }

  @Override
  public long getFreeSlabs() {
    return leases.freePieces();
  }

  @Override
  public long getFreeBytes() {
    return leases.idleBytes();
  }

  /**
   * Closes the pool and returns every free slab to the allocator. A leased slab returns when its
   * lease is closed.
   */
  @Override
  public void close() {
    allocator.removeReclaimer(reclaimer);
    leases.close();
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
