package org.vramkit.api.device;

/** Plain allocation, as {@code cuMemAlloc}. Slow, and may wait for all work of the device. */
public interface DeviceMemory {

  /**
   * Allocates memory from the driver.
   *
   * @param bytes the size, more than 0
   * @return the address, aligned to at least 256 bytes
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the device has too little
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code bytes} is not positive
   */
  long allocate(long bytes);

  /**
   * Frees memory. The driver need not wait for work that still uses it.
   *
   * @param address the address that {@link #allocate} returned, or an address from a driver pool of
   *     the device, for which the driver never waits
   * @throws org.vramkit.api.error.InvalidArgumentException for any other address
   */
  void free(long address);
}
