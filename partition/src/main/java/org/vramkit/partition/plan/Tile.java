package org.vramkit.partition.plan;

import org.vramkit.api.error.InvalidArgumentException;

/**
 * A range of units that one device processes.
 *
 * @param ordinal the device's ordinal, not negative, or {@link #CPU}
 * @param from first unit, not negative
 * @param to end of the range, exclusive; more than {@code from}
 */
public record Tile(int ordinal, long from, long to) {
  /** The ordinal that stands for the CPU. */
  public static final int CPU = -1;

  /**
   * Checks the range and the ordinal.
   *
   * @throws InvalidArgumentException if the range is empty or negative, or the ordinal is less than
   *     {@link #CPU}
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

  /** Returns the number of units. */
  public long getUnits() {
    return to - from;
  }

  @Override
  public String toString() {
    return "[" + from + ", " + to + ") on " + (ordinal == CPU ? "the CPU" : "device " + ordinal);
  }
}
