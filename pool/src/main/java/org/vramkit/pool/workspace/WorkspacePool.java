package org.vramkit.pool.workspace;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.support.Lender;
import org.vramkit.pool.support.Refusals;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.Streams;
import org.vramkit.pool.support.TrimTarget;

/**
 * Workspaces from slabs of an allocator, in classes of powers of two from 1 KiB. A slab that comes
 * back on the stream that wants one next is leased again without any driver call; on another stream
 * that stream is made to wait for the last one. Safe for any thread.
 *
 * <p>Free slabs lie in a {@link Lender}; neither the allocator nor the driver is called under its
 * lock. A stream that is captured gets none: the graph would use the slab with each launch, also
 * when another lease has it.
 */
public final class WorkspacePool implements Workspace {
  private final Allocator allocator;
  private final StreamClocks clocks;
  private final Lender<Long, Slab> lender;

  WorkspacePool(Allocator allocator, int perClassCapacity, long byteBudget) {
    this.allocator = allocator;
    this.clocks = new StreamClocks(allocator.getDevice());
    this.lender =
        new Lender<>(
            "the workspace pool",
            clocks,
            new Lender.Limits(
                byteBudget, perClassCapacity, Long.MAX_VALUE, /* givesBackInUse= */ false));
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
    Streams.refuseForeign(stream, allocator.getDevice(), "the workspace pool");
    clocks.captured().refuseOutside(size, stream);
    Lender.Request<Long, Slab> request =
        new Lender.Request<>(
            size,
            size,
            each -> each.wasLastUsedBy(stream),
            any -> true,
            () -> new Slab(size, stream, allocator, clocks));
    try {
      return lender.lend(request, loan -> new SlabLease(loan, size, stream));
    } catch (DeviceOutOfMemoryException e) {
      throw Refusals.noMemoryFor(
          "a workspace of class " + ByteSize.format(size) + " (asked for " + bytes + " bytes)", e);
    }
  }

  /**
   * Gives free slabs back to the allocator, the least recently used first.
   *
   * @param keepBytes how many bytes of free slabs may stay; not negative
   * @return how many bytes went back
   */
  public long trim(long keepBytes) {
    TrimTarget.requireNotNegative(keepBytes);
    return lender.trim(keepBytes, /* waits= */ false);
  }

  @Override
  public long getFreeSlabs() {
    return lender.freePieces();
  }

  @Override
  public long getFreeBytes() {
    return lender.idleBytes();
  }

  /** Gives every free slab back; one that is still leased goes back when its lease is closed. */
  @Override
  public void close() {
    lender.close();
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
