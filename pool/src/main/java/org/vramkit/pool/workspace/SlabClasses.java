package org.vramkit.pool.workspace;

import org.vramkit.api.error.InvalidArgumentException;

/** Size classes of slabs: powers of two from 1 KiB (requirement S1.1). */
final class SlabClasses {
  static final long SMALLEST = 1024;
  static final long LARGEST = 1L << 62;

  private SlabClasses() {}

  /** The class of a request: the next power of two, 1 KiB at least. */
  static long sizeFor(long bytes) {
    if (bytes < 0 || bytes > LARGEST) {
      throw new InvalidArgumentException(
          "a workspace must have from 0 to 2^62 bytes, not " + bytes);
    }
    return bytes <= SMALLEST ? SMALLEST : Long.highestOneBit(bytes - 1) << 1;
  }
}
