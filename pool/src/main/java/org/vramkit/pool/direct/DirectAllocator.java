package org.vramkit.pool.direct;

import java.util.Objects;
import org.vramkit.api.device.Device;
import org.vramkit.pool.support.DriverMemory;

/**
 * Allocates from the driver for each request and caches nothing. Serves as the baseline of
 * comparisons, and shows whether a fault lies in a pool. An allocation and its free take tens of
 * microseconds, and the driver may wait for the whole device.
 *
 * <p>Closing an allocation <em>blocks</em>, unlike with other allocators: the caller waits for the
 * allocation's stream and every recorded stream, because the driver must not free memory that work
 * still uses. If one of these streams is closed, the caller waits for the whole device.
 *
 * <p>Reserved bytes equal allocated bytes. Memory whose free failed in the driver counts as cached
 * until it is freed. Thread-safe.
 */
public final class DirectAllocator extends UncachedAllocator {
  private DirectAllocator(Device device) {
    super(device, new DriverMemory(device));
  }

  /** Returns a builder for an allocator of a device. */
  public static Builder builder(Device device) {
    return new Builder(device);
  }

  /** Builds a {@link DirectAllocator}; there are no options. */
  public static final class Builder {
    private final Device device;

    private Builder(Device device) {
      this.device = Objects.requireNonNull(device, "device");
    }

    /** Builds the allocator, which the caller closes. */
    public DirectAllocator build() {
      return new DirectAllocator(device);
    }
  }
}
