package org.vramkit.api.allocator;

/**
 * The current value, peak and totals of one quantity.
 *
 * @param current the current value
 * @param peak the maximum since peaks were last reset; never below {@code current}
 * @param added the sum of all increases since creation, or since statistics were reset
 * @param removed the sum of all decreases in the same time; without a reset {@code added - removed
 *     == current}
 */
public record Stat(long current, long peak, long added, long removed) {

  /** All values 0. */
  public static final Stat ZERO = new Stat(0, 0, 0, 0);

  /** Returns a quantity whose current value alone is known, as if it had risen to it at once. */
  public static Stat of(long current) {
    return new Stat(current, current, current, 0);
  }
}
