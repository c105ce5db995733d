package org.vramkit.api.device;

/** Plain allocation, as {@code cuMemAlloc}: slow, and it may wait for the whole device. */
public interface DeviceMemory {

  /**
   * Takes memory from the driver.
   *
   * @param bytes more than 0
   * @return its address, aligned to at least 256 bytes
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the device has too little
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code bytes} is not positive
   */
  long allocate(long bytes);

  /**
   * Gives memory back. Do not rely on it to wait for work that still uses the memory.
   *
   * @param address what {@link #allocate} returned, or memory of a driver's pool of the device, for
   *     which the driver never waits
   * @throws org.vramkit.api.error.InvalidArgumentException for any other address
   */
  void free(long address);
}
