package org.vramkit.api.device;

import java.nio.ByteBuffer;

/** Page-locked host memory, which the device copies from and to without the host's help. */
public interface PinnedMemory {

  /**
   * Allocates page-locked memory; the caller closes it.
   *
   * @param bytes the size, more than 0
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the host has too little memory
   */
  PinnedBuffer allocate(long bytes);

  /**
   * Allocates page-locked memory that only copies of this library use, such as a backup. It may
   * still be being locked when the call returns, by other threads; a copy waits for the part that
   * it uses. Memory of many GiB is ready earlier than by {@link #allocate}.
   *
   * @param bytes the size, more than 0
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the host has too little memory
   */
  default PinnedBuffer allocateForCopies(long bytes) {
    return allocate(bytes);
  }

  /**
   * Page-locks the caller's memory, so that devices copy from and to it without a staging buffer.
   * The caller closes the returned buffer once no copy uses it. Closing unlocks the memory and
   * keeps its content. Until then the returned buffer keeps the memory reachable.
   *
   * @param memory a direct buffer, whose bytes from position to limit are locked. A driver locks
   *     whole pages and may refuse pages that are already locked, so align buffers to pages ({@link
   *     ByteBuffer#alignedSlice}) if several are locked at once
   * @return the locked range, which begins at the buffer's position
   * @throws org.vramkit.api.error.InvalidArgumentException if the buffer is on the Java heap,
   *     read-only or empty, or if part of it is already page-locked
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the host cannot lock the range
   * @throws org.vramkit.api.error.NotSupportedException if the device or the driver does not
   *     support it
   */
  PinnedBuffer register(ByteBuffer memory);
}
