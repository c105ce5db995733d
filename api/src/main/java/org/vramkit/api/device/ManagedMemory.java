package org.vramkit.api.device;

/**
 * Managed memory: the host and devices reach the same bytes by the same address, and the driver
 * moves pages to the side that touches them. A device that offers it lets the host touch one part
 * while work on a device uses another.
 */
@FunctionalInterface
public interface ManagedMemory {

  /**
   * Takes managed memory for all devices; the caller closes it. It is used as page-locked memory
   * is: by views, by copies, and by work that is given its address. What the host writes is there
   * for work that is submitted afterwards; what work writes is there for the host once it has
   * waited for that.
   *
   * @param bytes more than 0
   * @throws org.vramkit.api.error.InvalidArgumentException for less
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little
   */
  PinnedBuffer allocate(long bytes);
}
