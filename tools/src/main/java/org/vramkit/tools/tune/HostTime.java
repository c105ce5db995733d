package org.vramkit.tools.tune;

import java.util.Arrays;
import java.util.List;

/**
 * Host time per event, as measured several times. What disturbs a machine comes and goes, so times
 * differ only where their spreads lie apart.
 *
 * @param fastest the least of the measured times, in nanoseconds
 * @param median the one in their middle
 * @param slowest the longest
 */
public record HostTime(double fastest, double median, double slowest) {
  /** Beyond their spreads, times must differ by a tenth. */
  private static final double CLEARLY = 1.1;

  /** Of at least one measured time. */
  static HostTime of(List<Double> measured) {
    double[] sorted = measured.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return new HostTime(sorted[0], sorted[sorted.length / 2], sorted[sorted.length - 1]);
  }

  /** Of these times. */
  static HostTime of(double... measured) {
    return of(Arrays.stream(measured).boxed().toList());
  }

  /** Returns whether the slowest of these is quicker than the fastest of the others, by a tenth. */
  public boolean isClearlyBelow(HostTime other) {
    return slowest * CLEARLY < other.fastest;
  }
}
