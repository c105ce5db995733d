package org.vramkit.api.device;

/** The pools that the driver itself keeps, as {@code cuMemPoolCreate}. */
public interface DriverPools {

  /**
   * A new pool of pinned device memory without sharing handles; the caller closes it.
   *
   * @param maximumBytes most that the pool may hold; 0 for no limit
   * @throws org.vramkit.api.error.InvalidArgumentException if negative
   * @throws org.vramkit.api.error.NotSupportedException if there is a maximum and this device's
   *     pools have none
   */
  DriverPool create(long maximumBytes);
}
