package org.vramkit.pool.direct;

import java.util.Objects;
import org.vramkit.api.device.Device;
import org.vramkit.pool.support.OwnMemory;

/**
 * One plain driver allocation for each request, and nothing kept: the baseline to compare with, and
 * a way to find out whether a fault lies in a pool. Slow: an allocation and its free cost tens of
 * microseconds, and the driver may wait for the whole device.
 *
 * <p>Unlike other allocators, closing an allocation <em>blocks</em>: plain memory must not go back
 * under work that still uses it, so the caller waits for the allocation's stream and for every
 * recorded one (for the whole device if one of them is closed by then).
 *
 * <p>Reserved equals allocated and nothing is cached, unless the driver failed while an allocation
 * was closed: its memory counts as cached until it is given back. Safe for any thread.
 */
public final class DirectAllocator extends UncachedAllocator {
  private DirectAllocator(Device device) {
    super(device, new OwnMemory(device));
  }

  /** Begins an allocator of this device's memory. */
  public static Builder builder(Device device) {
    return new Builder(device);
  }

  /** Makes a {@link DirectAllocator}; it has no options. */
  public static final class Builder {
    private final Device device;

    private Builder(Device device) {
      this.device = Objects.requireNonNull(device, "device");
    }

    /** The allocator, for the caller to close. */
    public DirectAllocator build() {
      return new DirectAllocator(device);
    }
  }
}
