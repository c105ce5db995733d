package org.vramkit.pool.support;

import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** Checks sizes that callers pass. */
public final class Sizes {
  private Sizes() {}

  /**
   * Returns a size of 0 or more.
   *
   * @param name the name of the size, with which the message begins
   * @throws InvalidArgumentException if the size is negative
   */
  public static long requireNotNegative(String name, long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException(
          name + " must not be negative: " + bytes + " bytes; " + ByteSize.NEGATIVE_HINT);
    }
    return bytes;
  }

  /**
   * Refuses a negative target of a trim.
   *
   * @throws InvalidArgumentException if it is negative
   */
  public static void requireTrimTarget(long keepBytes) {
    if (keepBytes < 0) {
      throw new InvalidArgumentException("keepBytes must be 0 or more, not " + keepBytes);
    }
  }
}
