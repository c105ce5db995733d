package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.units.ByteSize;

/**
 * The alternatives that an out-of-memory error lists, each of which makes the request succeed.
 * Sizes are rounded by less than 1 MiB, to the side that suffices.
 */
public final class Remedies {
  private final List<String> ways = new ArrayList<>();

  /** Adds an alternative in other words. */
  public Remedies add(String way) {
    ways.add(way);
    return this;
  }

  /** Adds to raise the limit by {@code bytes}. */
  public Remedies raise(long bytes) {
    return add("raise the limit by " + ByteSize.formatUp(bytes));
  }

  /** Adds to close allocations of {@code bytes}, unless fewer bytes are {@code held}. */
  public Remedies freeOf(long held, long bytes) {
    if (bytes > held) {
      return this;
    }
    // Rounded up, it might be more than is held.
    return add(
        ByteSize.parse(ByteSize.formatUp(bytes)) <= held ? toFree(bytes) : "free " + bytes + " B");
  }

  /**
   * Adds to free memory of other users of the device.
   *
   * @param first what to do as well; empty for nothing
   * @param held bytes that these users hold
   */
  public Remedies freeOfOthers(String first, long bytes, long held) {
    return add(
        first
            + (first.isEmpty() ? "" : ", and ")
            + toFree(bytes)
            + "; other users of the device hold "
            + ByteSize.format(held));
  }

  private static String toFree(long bytes) {
    return "free " + ByteSize.formatUp(bytes);
  }

  /** Adds to request at most {@code bytes}, unless that is nothing. */
  public Remedies askForAtMost(long bytes) {
    return bytes > 0 ? add("ask for at most " + ByteSize.formatDown(bytes)) : this;
  }

  public boolean isEmpty() {
    return ways.isEmpty();
  }

  /** Returns the alternatives as a phrase. */
  @Override
  public String toString() {
    return String.join(", or ", ways);
  }
}
