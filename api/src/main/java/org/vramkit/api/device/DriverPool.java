package org.vramkit.api.device;

import org.vramkit.api.error.NotSupportedException;

/** One pool of the driver. Safe for any thread. */
public interface DriverPool extends StreamOrderedMemory, AutoCloseable {

  /** The device it belongs to. */
  Device getDevice();

  /**
   * Unused memory above this many bytes goes back to the driver at the next synchronisation. The
   * driver's default is 0.
   *
   * @param bytes not negative
   * @throws org.vramkit.api.error.NotSupportedException without {@link
   *     Capability#DRIVER_POOL_ATTRIBUTES}
   */
  void setReleaseThreshold(long bytes);

  /**
   * Allows or forbids one way in which the pool hands freed memory to another stream.
   *
   * @throws org.vramkit.api.error.NotSupportedException without {@link
   *     Capability#DRIVER_POOL_ATTRIBUTES}
   */
  void setReuse(DriverPoolReuse reuse, boolean enabled);

  /**
   * Lets work of another device use the pool's memory, all that it hands out now and later, or
   * takes that back. {@link PeerAccess} does not open the memory of pools.
   *
   * @param device one that can access the pool's device as a peer
   * @param allowed whether it may; at first only the pool's own device may
   * @throws org.vramkit.api.error.NotSupportedException if the backend cannot do it
   */
  default void setAccess(Device device, boolean allowed) {
    throw new NotSupportedException(
        "this backend opens no driver pools to other devices; copy through the host");
  }

  /**
   * Used and reserved bytes, now and at their peak.
   *
   * @throws org.vramkit.api.error.NotSupportedException without {@link
   *     Capability#DRIVER_POOL_ATTRIBUTES}
   */
  DriverPoolStatistics getStatistics();

  /**
   * Gives unused memory back to the driver until at most this much is held.
   *
   * @param keepBytes not negative
   */
  void trim(long keepBytes);

  /** Destroys the pool and surfaces the driver's error; harmless when repeated. */
  @Override
  void close();
}
