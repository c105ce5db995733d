package org.vramkit.api.device;

/**
 * Allocates plain device memory, as {@code cuMemAlloc} does. Calls are slow and may wait for all
 * work of the device.
 */
public interface DeviceMemory {

  /**
   * Allocates memory from the driver.
   *
   * @param bytes the size, more than 0
   * @return the address, aligned to at least 256 bytes
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the device has too little memory
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code bytes} is not positive
   */
  long allocate(long bytes);

  /**
   * Frees memory. All work that uses the memory must be complete, because the driver is not
   * guaranteed to wait for that work.
   *
   * @param address the address that {@link #allocate} or a driver pool of the device returned; the
   *     driver never waits for work that uses memory of a pool
   * @throws org.vramkit.api.error.InvalidArgumentException for any other address
   */
  void free(long address);
}
