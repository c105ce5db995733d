package org.vramkit.partition.plan;

import org.vramkit.api.error.InvalidArgumentException;

/**
 * Units that one device works on.
 *
 * @param ordinal of the device, or {@link #CPU}
 * @param from first unit
 * @param to first unit after them, more than {@code from}
 */
public record Tile(int ordinal, long from, long to) {
  /** In place of an ordinal, where the CPU works as one of the devices. */
  public static final int CPU = -1;

  /** Checks that it is not empty. */
  public Tile {
    if (to <= from) {
      throw new InvalidArgumentException("a tile must not be empty: [" + from + ", " + to + ")");
    }
  }

  /** How many units. */
  public long getUnits() {
    return to - from;
  }

  @Override
  public String toString() {
    return "[" + from + ", " + to + ") on " + (ordinal == CPU ? "the CPU" : "device " + ordinal);
  }
}
