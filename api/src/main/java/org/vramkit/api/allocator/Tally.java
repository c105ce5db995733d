package org.vramkit.api.allocator;

/**
 * One quantity over time.
 *
 * @param current its value now
 * @param peak the most it was since the last reset of peaks; never below {@code current}
 * @param added all that was ever added to it, or since an allocator that can has reset its figures
 * @param removed all that was taken from it in the same time; without a reset {@code added -
 *     removed == current}
 */
public record Tally(long current, long peak, long added, long removed) {

  /** Nothing yet. */
  public static final Tally ZERO = new Tally(0, 0, 0, 0);
}
