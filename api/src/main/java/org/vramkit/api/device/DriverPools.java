package org.vramkit.api.device;

/** Creates memory pools that the driver manages, as {@code cuMemPoolCreate} does. */
public interface DriverPools {

  /**
   * Creates a pool of device memory that cannot be shared with other processes; the caller closes
   * it.
   *
   * @param maximumBytes maximum size of the pool; 0 for no limit
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code maximumBytes} is negative
   * @throws org.vramkit.api.error.NotSupportedException if {@code maximumBytes} is not 0 and the
   *     device's pools support no limit
   */
  DriverPool create(long maximumBytes);
}
