package org.vramkit.pressure;

import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * The memory that a job needs before it begins.
 *
 * @param key the kind of job, such as {@code index-build}; messages name it, and estimates are kept
 *     by key
 * @param bytes maximum of requested bytes that the job will hold at once; at least 1
 * @param learned whether the {@linkplain Admission#getEstimate estimate} of the key replaces {@code
 *     bytes} once a run of the key has ended
 * @param priority the priority; higher ones are granted first, the default is 0
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

  /** Returns a demand of a known size. */
  public static Demand of(String key, long bytes) {
    return new Demand(key, bytes, false, 0);
  }

  /**
   * Returns a demand of the size that earlier runs of the key needed.
   *
   * @param firstBytes the size until a run of the key has ended
   */
  public static Demand learned(String key, long firstBytes) {
    return new Demand(key, firstBytes, true, 0);
  }

  /** Returns the same demand with another priority. */
  public Demand withPriority(int value) {
    return new Demand(key, bytes, learned, value);
  }

  /** Returns the same demand with another size. */
  Demand withBytes(long value) {
    return new Demand(key, value, learned, priority);
  }

  @Override
  public String toString() {
    return "\"" + key + "\" of " + ByteSize.format(bytes);
  }
}
