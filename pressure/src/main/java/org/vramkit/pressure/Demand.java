package org.vramkit.pressure;

import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * Memory that a job wants before it begins.
 *
 * @param key names the kind of job, such as {@code index-build}: for people, and for what is
 *     learned about it
 * @param bytes the most requested bytes that it will hold at once; at least 1
 * @param learned whether the {@linkplain Admission#getEstimate estimate} of the key counts instead
 *     of {@code bytes}, once a run of the key has ended
 * @param priority demands of a higher one come first in line; 0 unless it is set
 */
public record Demand(String key, long bytes, boolean learned, int priority) {

  /** Checks the size. */
  public Demand {
    Objects.requireNonNull(key, "key");
    if (bytes < 1) {
      throw new InvalidArgumentException(
          "demand \""
              + key
              + "\" must be at least 1 byte, not "
              + bytes
              + "; a job without memory"
              + " needs no grant");
    }
  }

  /** Wants a size that the caller knows. */
  public static Demand of(String key, long bytes) {
    return new Demand(key, bytes, false, 0);
  }

  /**
   * Wants what earlier runs of the key needed.
   *
   * @param firstBytes the size until one has ended
   */
  public static Demand learned(String key, long firstBytes) {
    return new Demand(key, firstBytes, true, 0);
  }

  /** Returns the same demand with another place in line. */
  public Demand withPriority(int value) {
    return new Demand(key, bytes, learned, value);
  }

  /** Returns the same demand with the size that counts. */
  Demand withBytes(long value) {
    return new Demand(key, value, learned, priority);
  }

  @Override
  public String toString() {
    return "\"" + key + "\" of " + ByteSize.format(bytes);
  }
}
