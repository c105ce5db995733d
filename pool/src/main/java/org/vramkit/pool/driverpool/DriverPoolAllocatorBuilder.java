package org.vramkit.pool.driverpool;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.Sizes;
import org.vramkit.pool.support.Streams;

/** Builds a {@link DriverPoolAllocator}. Not thread-safe. */
public final class DriverPoolAllocatorBuilder {
  private final Device device;
  private final Map<DriverPoolReuse, Boolean> reuse = new EnumMap<>(DriverPoolReuse.class);
  private List<Device> accessors = List.of();
  private long maximumBytes;
  private long releaseThreshold = Long.MAX_VALUE;

  DriverPoolAllocatorBuilder(Device device) {
    this.device = Objects.requireNonNull(device, "device");
  }

  /**
   * Limits the size of the pool.
   *
   * @param bytes 0, the default, means no limit
   */
  public DriverPoolAllocatorBuilder maximumBytes(long bytes) {
    maximumBytes = Sizes.requireNotNegative("maximumBytes", bytes);
    return this;
  }

  /**
   * Sets the bytes of unused memory above which a synchronisation returns memory to the driver. The
   * default is no limit, because the driver's own default of 0 drops the whole cache at every
   * synchronisation. Set a lower value to leave memory to other processes. Without {@link
   * Capability#DRIVER_POOL_ATTRIBUTES} this option has no effect, and the driver's default applies.
   *
   * @param bytes 0 or more
   */
  public DriverPoolAllocatorBuilder releaseThreshold(long bytes) {
    releaseThreshold = Sizes.requireNotNegative("releaseThreshold", bytes);
    return this;
  }

  /**
   * Enables or disables a policy by which the pool reuses memory that another stream has freed. The
   * driver enables all policies by default. {@link #build} fails without {@link
   * Capability#DRIVER_POOL_ATTRIBUTES}.
   */
  public DriverPoolAllocatorBuilder reuse(DriverPoolReuse way, boolean enabled) {
    reuse.put(Objects.requireNonNull(way, "way"), enabled);
    return this;
  }

  /**
   * Gives other devices access to the pool's memory, as peers; default none. {@link
   * org.vramkit.api.device.PeerAccess#enable} does not cover the memory of pools.
   *
   * @param others devices of the same backend; the allocator's own is ignored
   * @throws InvalidArgumentException if a device is of another backend
   */
  public DriverPoolAllocatorBuilder accessibleFrom(Device... others) {
    accessors = Streams.peersOf(device, others);
    return this;
  }

  /**
   * Builds the allocator, which the caller closes.
   *
   * @throws org.vramkit.api.error.NotSupportedException without {@link Capability#DRIVER_POOLS}, if
   *     a reuse policy was set and the pool has no attributes, or if a device of {@link
   *     #accessibleFrom} is no peer
   */
  public DriverPoolAllocator build() {
    return DriverPoolAllocator.open(device, maximumBytes, releaseThreshold, reuse, accessors);
  }
}
