package org.vramkit.api.device;

/**
 * Allocation in stream order, as {@code cuMemAllocAsync}: memory may be used by work submitted to
 * the stream after the allocation, until the free in stream order.
 */
public interface StreamOrderedMemory {

  /**
   * Allocates memory in the order of {@code stream}.
   *
   * @param bytes the size, more than 0
   * @param stream the stream whose later work may use the memory
   * @return the address, aligned to at least 256 bytes
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the device has too little
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code bytes} is not positive
   */
  long allocate(long bytes, Stream stream);

  /**
   * Frees memory in the order of {@code stream}. Does not block.
   *
   * @param address the address that {@link #allocate} of this or another pool of the device
   *     returned, or {@link DeviceMemory#allocate}
   * @param stream any stream that is ordered after every use of the memory
   * @throws org.vramkit.api.error.InvalidArgumentException for any other address
   */
  void free(long address, Stream stream);
}
