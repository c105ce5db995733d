package org.vramkit.pool.driverpool;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.error.InvalidArgumentException;

/** Options of a {@link DriverPoolAllocator}. */
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
   * Most that the pool may hold.
   *
   * @param bytes 0, the default, for no limit
   */
  public DriverPoolAllocatorBuilder maximumBytes(long bytes) {
    maximumBytes = notNegative("maximumBytes", bytes);
    return this;
  }

  /**
   * Unused memory above this goes back to the driver whenever a thread synchronises. The default is
   * no limit, as the driver's own default of 0 makes every synchronisation drop the whole cache.
   * Lower it to leave memory to other processes. Has no effect without {@link
   * Capability#DRIVER_POOL_ATTRIBUTES}, where the driver's default stands.
   *
   * @param bytes 0 or more
   */
  public DriverPoolAllocatorBuilder releaseThreshold(long bytes) {
    releaseThreshold = notNegative("releaseThreshold", bytes);
    return this;
  }

  /**
   * Allows or forbids one way in which the pool hands memory freed on one stream to another; the
   * driver's default allows all. {@link #build} fails without {@link
   * Capability#DRIVER_POOL_ATTRIBUTES}.
   */
  public DriverPoolAllocatorBuilder reuse(DriverPoolReuse way, boolean enabled) {
    reuse.put(Objects.requireNonNull(way, "way"), enabled);
    return this;
  }

  /**
   * Opens the pool's memory to other devices, which may then touch it as peers; default none.
   * {@link org.vramkit.api.device.PeerAccess#enable} does not open the memory of pools.
   *
   * @param others of the same backend; the allocator's own may be among them
   * @throws InvalidArgumentException if one is of another backend
   */
  public DriverPoolAllocatorBuilder accessibleFrom(Device... others) {
    for (Device other : Objects.requireNonNull(others, "others")) {
      Objects.requireNonNull(other, "other");
      if (other.getBackend() != device.getBackend()) {
        throw new InvalidArgumentException(
            "memory of device %s of backend %s cannot be accessible from device %s of another backend, %s"
                .formatted(
                    device.getOrdinal(),
                    device.getBackend().getName(),
                    other.getOrdinal(),
                    other.getBackend().getName()));
      }
    }
    accessors = Stream.of(others).filter(other -> !other.equals(device)).distinct().toList();
    return this;
  }

  /**
   * The allocator, for the caller to close.
   *
   * @throws org.vramkit.api.error.NotSupportedException without {@link Capability#DRIVER_POOLS}, if
   *     a way of reuse was set and the pool has no attributes, or if a device that it should be
   *     accessible from is no peer
   */
  public DriverPoolAllocator build() {
    return DriverPoolAllocator.open(device, maximumBytes, releaseThreshold, reuse, accessors);
  }

  private static long notNegative(String option, long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException(option + " must be 0 or more, found " + bytes);
    }
    return bytes;
  }
}
