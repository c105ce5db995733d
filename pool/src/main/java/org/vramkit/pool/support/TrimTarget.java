package org.vramkit.pool.support;

import org.vramkit.api.error.InvalidArgumentException;

/** Checks the target of a trim. */
public final class TrimTarget {
  private TrimTarget() {}

  /**
   * Refuses a negative target.
   *
   * @throws InvalidArgumentException if it is negative
   */
  public static void requireNotNegative(long keepBytes) {
    if (keepBytes < 0) {
      throw new InvalidArgumentException("cannot keep " + keepBytes + " bytes: negative");
    }
  }
}
