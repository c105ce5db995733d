package org.vramkit.pressure;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;

/** Allocates the memory of one grant. Counts requested bytes, without padding. */
final class GrantAllocator extends ForwardingAllocator {
  private final Grant grant;

  GrantAllocator(Allocator upstream, Grant grant) {
    super(upstream, grant.lock());
    this.grant = grant;
  }

  @Override
  Allocation take(long bytes, long alignment, Stream stream) {
    if (bytes <= 0) {
      grant.requireOpen();
      return takeUpstream(bytes, alignment, stream);
    }
    lock.guard(() -> grant.claim(bytes));
    try {
      return takeUpstream(bytes, alignment, stream);
    } catch (RuntimeException | Error e) {
      unclaim(bytes);
      throw e;
    }
  }

  private void unclaim(long bytes) {
    try {
      grant.unclaim(bytes);
    } catch (VirtualMachineError | LinkageError e) {
      lock.brokenBy = e;
      throw e;
    }
  }

  @Override
  void released(long bytes) {
    if (bytes > 0) {
      grant.unclaim(bytes);
    }
  }

  @Override
  public long getLimit() {
    return Math.min(grant.getBytes(), super.getLimit());
  }

  @Override
  public long getAvailableBytes() {
    return Math.min(grant.getAvailableBytes(), super.getAvailableBytes());
  }

  @Override
  public String toString() {
    return "allocator of " + grant;
  }
}
