package org.vramkit.api.device;

import java.nio.ByteBuffer;

/**
 * A range of host memory that devices reach too: page-locked, or {@linkplain ManagedMemory
 * managed}. Work on a device may read and write it by its address, without a copy. Throws {@code
 * ClosedException} when used after close.
 */
public interface PinnedBuffer extends AutoCloseable {

  /** Its address in the host's memory, and on every device. */
  long getAddress();

  /** Its size in bytes. */
  long getSize();

  /**
   * A view of a part, in native byte order.
   *
   * @param offset first byte
   * @param bytes how many, at most 2^31 - 1
   * @throws org.vramkit.api.error.InvalidArgumentException if the part is not inside the buffer
   */
  ByteBuffer getBytes(long offset, int bytes);

  /**
   * Says that the host reads bytes now, to a backend that judges this; to others it is nothing.
   *
   * @param offset first byte
   * @param bytes how many
   */
  default void hostReads(long offset, long bytes) {
    // A real backend judges no accesses.
  }

  /**
   * Says that the host writes bytes now, as {@link #hostReads} does of reads.
   *
   * @param offset first byte
   * @param bytes how many
   */
  default void hostWrites(long offset, long bytes) {
    // A real backend judges no accesses.
  }

  /**
   * Gives the memory back, or unlocks it if it is the caller's own; no work may still use it.
   * Harmless when repeated.
   */
  @Override
  void close();
}
