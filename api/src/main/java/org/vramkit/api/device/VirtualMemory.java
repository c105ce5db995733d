package org.vramkit.api.device;

/**
 * Addresses and physical memory apart, as {@code cuMemAddressReserve} and its family. All sizes and
 * addresses are multiples of the granularity, else {@link
 * org.vramkit.api.error.InvalidArgumentException}.
 *
 * <p>Nothing here waits for the device: memory must be unmapped only once the work that uses it is
 * known to be done.
 */
public interface VirtualMemory {

  /** The unit of addresses and sizes, a power of two; 2 MiB on current GPUs. */
  long getGranularity();

  /**
   * Reserves addresses; takes no memory.
   *
   * @param bytes more than 0
   * @return the first address
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if no such range is free
   */
  long reserve(long bytes);

  /**
   * Gives a whole reservation back; nothing may be mapped in it.
   *
   * @param address what {@link #reserve} returned
   * @param bytes its size
   */
  void unreserve(long address, long bytes);

  /**
   * Takes physical memory of this device, not yet mapped anywhere.
   *
   * @param bytes more than 0
   * @return a handle; any value
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the device has too little
   */
  long create(long bytes);

  /**
   * Gives physical memory back; it goes when it is no longer mapped either.
   *
   * @param handle what {@link #create} returned
   */
  void release(long handle);

  /**
   * Maps the whole of a handle's memory at an address. Not accessible until {@link #setAccess}.
   *
   * <p>The same memory may lie at several addresses at once. Work that writes it at one of them is
   * seen at the others only by work that begins after it has ended, as the next in the same stream
   * does.
   *
   * @param address in a reservation, not mapped
   * @param bytes the size of the handle's memory
   * @param handle what {@link #create} returned
   */
  void map(long address, long bytes, long handle);

  /**
   * Lets a device read and write a range.
   *
   * @param address start of a mapping
   * @param bytes whole mappings; may span several that are adjacent
   * @param device who may access it
   */
  void setAccess(long address, long bytes, Device device);

  /**
   * Unmaps a range.
   *
   * @param address start of a mapping
   * @param bytes whole mappings; may span several that are adjacent
   */
  void unmap(long address, long bytes);
}
