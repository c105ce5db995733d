package org.vramkit.partition.plan;

import org.vramkit.api.error.InvalidArgumentException;

/**
 * Units that one device works on.
 *
 * @param ordinal of the device, not negative, or {@link #CPU}
 * @param from first unit, not negative
 * @param to first unit after them, more than {@code from}
 */
public record Tile(int ordinal, long from, long to) {
  /** In place of an ordinal, where the CPU works as one of the devices. */
  public static final int CPU = -1;

  /**
   * Checks that it is not empty, and may be some device's.
   *
   * @throws InvalidArgumentException if it is empty, its units are negative, or there is no such
   *     ordinal
   */
  public Tile {
    if (ordinal < CPU || from < 0) {
      throw new InvalidArgumentException(
          "a tile needs a device's ordinal from 0 on, or "
              + CPU
              + " for the CPU, and units from 0 on; not ["
              + from
              + ", "
              + to
              + ") on "
              + ordinal);
    }
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
