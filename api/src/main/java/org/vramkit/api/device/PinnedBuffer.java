package org.vramkit.api.device;

import java.nio.ByteBuffer;

/** A range of page-locked host memory. Throws {@code ClosedException} when used after close. */
public interface PinnedBuffer extends AutoCloseable {

  /** Its address in the host's memory. */
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
    // Nobody watches.
  }

  /**
   * Gives the memory back, or unlocks it if it is the caller's own; no copy may still use it.
   * Harmless when repeated.
   */
  @Override
  void close();
}
