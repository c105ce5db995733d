package org.vramkit.api.device;

/**
 * Allocates and frees memory in stream order, as {@code cuMemAllocAsync} does. Work may use the
 * memory if it runs after the allocation and before the free, in the order of the stream.
 */
public interface StreamOrderedMemory {

  /**
   * Allocates memory in the order of {@code stream}.
   *
   * @param bytes the size, more than 0
   * @param stream the stream whose later work may use the memory
   * @return the address, aligned to at least 256 bytes
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the device has too little memory
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code bytes} is not positive
   */
  long allocate(long bytes, Stream stream);

  /**
   * Frees memory in the order of {@code stream}. Does not block.
   *
   * @param address an address that {@link #allocate} of any pool of the device or {@link
   *     DeviceMemory#allocate} returned
   * @param stream any stream that is ordered after every use of the memory
   * @throws org.vramkit.api.error.InvalidArgumentException for any other address
   */
  void free(long address, Stream stream);
}
