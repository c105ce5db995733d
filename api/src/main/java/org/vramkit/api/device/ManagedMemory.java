package org.vramkit.api.device;

/**
 * Managed memory: the host and devices access the same bytes at the same address, and the driver
 * migrates pages to the side that accesses them. The host may access one part while device work
 * uses another.
 */
@FunctionalInterface
public interface ManagedMemory {

  /**
   * Allocates managed memory for all devices; the caller closes it. The memory supports views,
   * copies and access by address, as page-locked memory does. Device work sees what the host wrote
   * before submitting it. The host sees what device work wrote once it has waited for that work.
   *
   * @param bytes the size, more than 0
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code bytes} is not positive
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory
   */
  PinnedBuffer allocate(long bytes);
}
