package org.vramkit.api.device;

import java.nio.ByteBuffer;

/**
 * Host memory that devices can access, either page-locked or {@linkplain ManagedMemory managed}.
 * Device work may read and write it at its address, without a copy. Using a closed buffer throws
 * {@code ClosedException}.
 */
public interface PinnedBuffer extends MemoryArgument, AutoCloseable {
  /**
   * The length of the longest view in bytes, 2^31 - 9. The JDK makes no longer byte buffer of
   * native memory ({@code MemorySegment.asByteBuffer}, JDK 25).
   */
  int LONGEST_VIEW = Integer.MAX_VALUE - 8;

  /** Returns the address, which is the same on the host and on every device. */
  @Override
  long getAddress();

  /** Returns the size in bytes. */
  long getSize();

  /**
   * Returns a view of a range, in native byte order.
   *
   * @param offset first byte
   * @param bytes the length, at most {@link #LONGEST_VIEW}
   * @throws org.vramkit.api.error.InvalidArgumentException if the range is not inside the buffer,
   *     or longer
   */
  ByteBuffer getBytes(long offset, int bytes);

  /**
   * Reports that the host reads a range, to a backend that checks accesses. Other backends ignore
   * it.
   *
   * @param offset first byte
   * @param bytes the length
   */
  default void hostReads(long offset, long bytes) {
    // A real backend checks no accesses.
  }

  /**
   * Reports that the host writes a range, to a backend that checks accesses. Other backends ignore
   * it.
   *
   * @param offset first byte
   * @param bytes the length
   */
  default void hostWrites(long offset, long bytes) {
    // A real backend checks no accesses.
  }

  /**
   * Frees the memory, or unlocks it if it was registered. All work that uses it must be complete.
   * Repeated calls have no effect.
   */
  @Override
  void close();
}
