package org.vramkit.pressure;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;

/** Allocates the memory of one grant. Counts requested bytes, without padding. */
final class GrantAllocator extends ForwardingAllocator {
  private final Grant grant;

  GrantAllocator(Allocator upstream, Grant grant) {
    super(upstream);
    this.grant = grant;
  }

  @Override
  Allocation take(long bytes, long alignment, Stream stream) {
    if (bytes <= 0) {
      grant.requireOpen();
      return takeUpstream(bytes, alignment, stream);
    }
    grant.claim(bytes);
    try {
      return takeUpstream(bytes, alignment, stream);
    } catch (RuntimeException | Error e) {
      grant.unclaim(bytes);
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
