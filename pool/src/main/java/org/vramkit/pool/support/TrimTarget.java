package org.vramkit.pool.support;

import org.vramkit.api.error.InvalidArgumentException;

/** How many bytes a trim leaves. */
public final class TrimTarget {
  private TrimTarget() {}

  /**
   * Refuses to keep less than nothing.
   *
   * @throws InvalidArgumentException if that is what is wanted
   */
  public static void requireNotNegative(long keepBytes) {
    if (keepBytes < 0) {
      throw new InvalidArgumentException("cannot keep " + keepBytes + " bytes: negative");
    }
  }
}
