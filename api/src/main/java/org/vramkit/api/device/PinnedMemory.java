package org.vramkit.api.device;

/** Page-locked host memory, which the device copies from and to without the host's help. */
public interface PinnedMemory {

  /**
   * Takes page-locked memory; the caller closes it.
   *
   * @param bytes more than 0
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the host has too little
   */
  PinnedBuffer allocate(long bytes);
}
