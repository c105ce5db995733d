package org.vramkit.api.device;

import java.util.List;
import java.util.Objects;
import org.vramkit.api.error.NotSupportedException;

/**
 * Reserves address ranges and maps physical memory into them, as {@code cuMemAddressReserve} and
 * {@code cuMemMap} do. Methods throw {@link org.vramkit.api.error.InvalidArgumentException} for
 * sizes and addresses that are not multiples of the granularity.
 *
 * <p>No call waits for the device, so unmap memory only once all work that uses it is complete.
 */
public interface VirtualMemory {

  /** Returns the unit of addresses and sizes in bytes, a power of two; 2 MiB on current GPUs. */
  long getGranularity();

  /**
   * Reserves an address range without memory.
   *
   * @param bytes more than 0
   * @return the first address
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if no range of this size is free
   */
  long reserve(long bytes);

  /**
   * Frees a whole reservation, in which nothing may be mapped.
   *
   * @param address the address that {@link #reserve} returned
   * @param bytes size of the reservation
   */
  void unreserve(long address, long bytes);

  /**
   * Allocates physical memory of this device without mapping it.
   *
   * @param bytes more than 0
   * @return a handle; any value is valid
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the device has too little memory
   */
  long create(long bytes);

  /**
   * Releases a handle. The driver frees the memory once it is no longer mapped.
   *
   * @param handle the handle that {@link #create} returned
   */
  void release(long handle);

  /**
   * Maps all memory of a handle at an address. The range is not accessible until {@link
   * #setAccess}.
   *
   * <p>The same memory may be mapped at several addresses. Writes through one address are visible
   * at the others only to work that begins after the writing work has ended, such as later work of
   * the same stream.
   *
   * @param address an unmapped address in a reservation
   * @param bytes the size of the handle's memory
   * @param handle the handle that {@link #create} returned
   */
  void map(long address, long bytes, long handle);

  /**
   * Allows a device to read and write a range.
   *
   * @param address start of a mapping
   * @param bytes size of one mapping or of several adjacent ones
   * @param device the device that gains access
   */
  void setAccess(long address, long bytes, Device device);

  /**
   * Allows several devices to read and write a range, by one driver call where the backend can.
   *
   * @param address start of a mapping
   * @param bytes size of one mapping or of several adjacent ones
   * @param devices the devices that gain access
   */
  default void setAccess(long address, long bytes, List<Device> devices) {
    Objects.requireNonNull(devices, "devices");
    devices.forEach(device -> setAccess(address, bytes, device));
  }

  /**
   * Takes a device's access to a range away. Does not wait for work of the device, so it must be
   * complete.
   *
   * @param address start of a mapping
   * @param bytes size of one mapping or of several adjacent ones
   * @param device the device that loses access, if it has any
   * @throws org.vramkit.api.error.NotSupportedException if the backend lacks this function
   */
  default void removeAccess(long address, long bytes, Device device) {
    Objects.requireNonNull(device, "device");
    throw new NotSupportedException(
        "this backend cannot take the access of " + device + " away; unmap the range instead");
  }

  /**
   * Unmaps a range.
   *
   * @param address start of a mapping
   * @param bytes size of one mapping or of several adjacent ones
   */
  void unmap(long address, long bytes);
}
