package org.vramkit.api.device;

import org.vramkit.api.error.NotSupportedException;

/** A memory pool that the driver manages. Safe for any thread. */
public interface DriverPool extends StreamOrderedMemory, AutoCloseable {

  /** Returns the device of this pool. */
  Device getDevice();

  /**
   * Sets the release threshold. At each synchronization the pool releases unused memory above the
   * threshold. The driver's default is 0.
   *
   * @param bytes the threshold, not negative
   * @throws org.vramkit.api.error.NotSupportedException without {@link
   *     Capability#DRIVER_POOL_ATTRIBUTES}
   */
  void setReleaseThreshold(long bytes);

  /**
   * Allows or forbids one policy by which the pool reuses memory that another stream has freed.
   *
   * @throws org.vramkit.api.error.NotSupportedException without {@link
   *     Capability#DRIVER_POOL_ATTRIBUTES}
   */
  void setReuse(DriverPoolReuse reuse, boolean enabled);

  /**
   * Grants or revokes another device's access to all present and future memory of this pool. {@link
   * PeerAccess} does not apply to the memory of pools.
   *
   * @param device a device that can access the pool's device as a peer
   * @param allowed whether {@code device} has access; initially only the pool's own device has
   *     access
   * @throws org.vramkit.api.error.NotSupportedException if the backend lacks this function
   */
  default void setAccess(Device device, boolean allowed) {
    throw new NotSupportedException(
        "this backend cannot give other devices access to driver pools; copy through the host");
  }

  /**
   * Returns the used and reserved bytes, current and peak.
   *
   * @throws org.vramkit.api.error.NotSupportedException without {@link
   *     Capability#DRIVER_POOL_ATTRIBUTES}
   */
  DriverPoolStatistics getStatistics();

  /**
   * Releases unused memory to the driver until at most {@code keepBytes} are reserved.
   *
   * @param keepBytes not negative
   */
  void trim(long keepBytes);

  /**
   * Destroys the pool. Free its memory before: what is left cannot be freed any more. Throws the
   * driver's error if the driver cannot destroy it. Repeated calls have no effect.
   */
  @Override
  void close();
}
