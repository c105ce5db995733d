package org.vramkit.api.device;

/**
 * Allocation in stream order, as {@code cuMemAllocAsync}: memory may be used by work submitted to
 * the stream after the allocation, until the free in stream order.
 */
public interface StreamOrderedMemory {

  /**
   * Takes memory as of this point of the stream.
   *
   * @param bytes more than 0
   * @param stream from when on
   * @return its address, aligned to at least 256 bytes
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the device has too little
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code bytes} is not positive
   */
  long allocate(long bytes, Stream stream);

  /**
   * Gives memory back as of this point of the stream. Does not block.
   *
   * @param address what {@link #allocate} returned, here or on another pool of the device, or
   *     {@link DeviceMemory#allocate}
   * @param stream until when; any stream that is ordered after the memory's uses
   * @throws org.vramkit.api.error.InvalidArgumentException for any other address
   */
  void free(long address, Stream stream);
}
