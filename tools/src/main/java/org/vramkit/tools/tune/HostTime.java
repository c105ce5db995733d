package org.vramkit.tools.tune;

import java.util.Arrays;

/**
 * Host time per event over several measurements, in nanoseconds. Two times differ significantly
 * only if their ranges do not overlap.
 *
 * @param fastest the minimum
 * @param median the median
 * @param slowest the maximum
 */
public record HostTime(double fastest, double median, double slowest) {
  /** The smallest ratio of two ranges that differ clearly. */
  private static final double CLEARLY = 1.1;

  /** Summarises measurements; at least one is required. */
  static HostTime of(double... measured) {
    double[] sorted = measured.clone();
    Arrays.sort(sorted);
    return new HostTime(sorted[0], sorted[sorted.length / 2], sorted[sorted.length - 1]);
  }

  /** Returns whether this maximum is below the other minimum by more than a tenth. */
  public boolean isClearlyBelow(HostTime other) {
    return slowest * CLEARLY < other.fastest;
  }
}
