package org.vramkit.pool.workspace;

import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.Lease;

/** A lease of a slab. */
final class SlabLease implements WorkspaceLease {
  private final Lease<Slab> lease;
  private final long size;

  /** Creates the handle of a leased slab, whose memory is ordered for work of {@code stream}. */
  SlabLease(Lease<Slab> lease, long size, Stream stream) {
    this.lease = lease;
    this.size = size;
    open().lease(stream);
  }

  @Override
  public long getAddress() {
    return open().getAddress();
  }

  /** Returns whether uses by streams of {@code device} can be recorded: those of its own device. */
  @Override
  public boolean recordsUsesOf(Device device) {
    return open().own().getDevice().equals(device);
  }

  @Override
  public void recordUse(Stream stream) {
    open().recordUse(stream);
  }

  @Override
  public long getSize() {
    return open().size();
  }

  private Slab open() {
    Slab held = lease.piece();
    if (held == null) {
      throw new ClosedException(
          "the lease of a workspace of " + size + " bytes",
          "its memory may belong to another lease now",
          "use the lease before closing it, or acquire a new one");
    }
    return held;
  }

  @Override
  public void close() {
    lease.close(Slab::endLease);
  }

  @Override
  public String toString() {
    return (lease.isClosed() ? "closed lease of " : "lease of ") + size + " bytes";
  }
}
