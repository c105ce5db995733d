package org.vramkit.api.device;

import java.nio.ByteBuffer;

/** Page-locked host memory, which the device copies from and to without the host's help. */
public interface PinnedMemory {

  /**
   * Takes page-locked memory; the caller closes it.
   *
   * @param bytes more than 0
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the host has too little
   */
  PinnedBuffer allocate(long bytes);

  /**
   * Page-locks memory of the caller's own, so that devices copy from it and to it without a buffer
   * between. The caller closes what is returned once no copy uses it; then the memory is as any
   * other again, with its bytes as they are. Until then it is kept from garbage collection.
   *
   * @param memory a direct buffer, of which the bytes from position to limit are locked. A driver
   *     locks whole pages and may refuse one that is locked already, so lock memory that begins and
   *     ends at pages ({@link ByteBuffer#alignedSlice}) where several pieces are locked at once
   * @return those bytes, the one at the position first
   * @throws org.vramkit.api.error.InvalidArgumentException if the buffer is on the heap, read-only
   *     or without bytes, or if some of them are page-locked already
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the host cannot lock that many
   *     bytes
   * @throws org.vramkit.api.error.NotSupportedException if the device or the driver cannot do it
   */
  PinnedBuffer register(ByteBuffer memory);
}
