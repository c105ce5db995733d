package org.vramkit.partition.plan;

import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** All divisions of a few units over a few devices, which have weights. */
final class AllDivisions {
  private final long units;
  private final long[] weights;
  private final long[] caps;

  AllDivisions(long units, long[] weights, long[] caps) {
    this.units = units;
    this.weights = weights;
    this.caps = caps;
  }

  long getUnits() {
    return units;
  }

  /** Returns the earliest time at which the last device can finish. */
  double earliestFinish() {
    return finish(best(this::finish));
  }

  double finish(long[] counts) {
    double latest = 0;
    for (int i = 0; i < counts.length; i++) {
      latest = Math.max(latest, (double) counts[i] / weights[i]);
    }
    return latest;
  }

  /**
   * Returns the division with the least sum of squared differences from the exact shares; of
   * several, the one that gives most to the first devices. Tries each set of full devices: a device
   * is full if its share among the devices that are not full would reach its cap.
   */
  long[] nearestToShares() {
    for (int full = 0; full < 1 << caps.length; full++) {
      long[] result = nearest(full);
      if (result.length == caps.length) {
        return result;
      }
    }
    throw new AssertionError("none, some or all of the devices are full");
  }

  /**
   * Returns the nearest division if exactly these devices are full; an empty array if others would
   * be full too.
   */
  private long[] nearest(int full) {
    long left = units;
    long total = 0;
    for (int i = 0; i < caps.length; i++) {
      left -= isIn(full, i) ? Math.min(caps[i], units + 1) : 0;
      total += isIn(full, i) ? 0 : weights[i];
    }
    long[] bounds = new long[caps.length];
    for (int i = 0; i < caps.length; i++) {
      bounds[i] = Math.min(caps[i], units);
      boolean reached = left * weights[i] >= Math.min(caps[i], units + 1) * total;
      if (left < 0 || reached != isIn(full, i)) {
        return new long[0];
      }
    }
    long rest = left;
    long all = total;
    return best(
        counts -> {
          double squares = 0;
          for (int i = 0; i < counts.length; i++) {
            double off =
                isIn(full, i) ? 1e6 * (bounds[i] - counts[i]) : counts[i] * all - rest * weights[i];
            squares += off * off;
          }
          return squares;
        });
  }

  private static boolean isIn(int set, int device) {
    return (set >> device & 1) == 1;
  }

  /**
   * Returns the division of least cost; of several, the one that gives most to the first devices.
   */
  private long[] best(ToDoubleFunction<long[]> cost) {
    long[] best = new long[caps.length];
    double[] least = {Double.POSITIVE_INFINITY};
    visit(
        new long[caps.length],
        0,
        units,
        counts -> {
          double each = cost.applyAsDouble(counts);
          if (each < least[0]) {
            least[0] = each;
            System.arraycopy(counts, 0, best, 0, best.length);
          }
        });
    return best;
  }

  private void visit(long[] counts, int device, long left, Consumer<long[]> each) {
    if (device == counts.length) {
      if (left == 0) {
        each.accept(counts);
      }
      return;
    }
    for (long count = Math.min(left, caps[device]); count >= 0; count--) {
      counts[device] = count;
      visit(counts, device + 1, left - count, each);
    }
  }
}
