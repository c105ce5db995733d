package org.vramkit.api.allocator;

import org.vramkit.api.device.Stream;

/**
 * Memory that a user holds until it is closed. The handle is fresh for every allocation, so closing
 * it twice is harmless and using it after close is a {@link org.vramkit.api.error.ClosedException},
 * also when the bytes have another owner. Safe for any thread; not bound to the one that allocated.
 */
public interface Allocation extends AutoCloseable {

  /** The device address of the first byte; 0 for an empty allocation. */
  long getAddress();

  /** The size that was asked for, in bytes. */
  long getSize();

  /** The stream that the memory belongs to. */
  Stream getStream();

  /** Returns whether it was closed. */
  boolean isClosed();

  /**
   * Tells that work submitted to another stream uses the memory. Call it after submitting that work
   * and before closing. The memory is not reused until that stream has passed the point of close.
   *
   * @throws org.vramkit.api.error.InvalidArgumentException if the stream is another device's
   */
  void recordUse(Stream stream);

  /**
   * Frees the memory as of this point of its stream. Does not wait for the device. Harmless when
   * repeated, also from two threads at once.
   */
  @Override
  void close();
}
