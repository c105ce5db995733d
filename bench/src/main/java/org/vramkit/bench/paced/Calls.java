package org.vramkit.bench.paced;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.DriverFigures;

/** How long each call of the allocator took, in one pass or several. For one thread. */
final class Calls {
  private long[] nanos;
  private int count;
  private long sum;
  private long longest;
  private long longestCollected;
  private long wallNanos;

  /**
   * Creates an empty list with room for all calls, so that it never grows while calls are timed.
   */
  Calls(int room) {
    nanos = new long[room];
  }

  /**
   * Adds one.
   *
   * @param took nanoseconds
   * @param collected whether the JVM's collector ran meanwhile
   */
  void add(long took, boolean collected) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * count + 1);
    }
    nanos[count++] = took;
    sum += took;
    if (collected) {
      longestCollected = Math.max(longestCollected, took);
    } else {
      longest = Math.max(longest, took);
    }
  }

  /** Adds the time of a pass, from its begin to its last event, in nanoseconds. */
  void passed(long passNanos) {
    wallNanos += passNanos;
  }

  /**
   * The figures.
   *
   * @param reservedRatio most reserved by most requested bytes so far
   * @param driver what the driver did meanwhile; null if it was not asked
   */
  Figures figures(double reservedRatio, @Nullable DriverFigures driver) {
    long[] sorted = Arrays.copyOf(nanos, count);
    Arrays.sort(sorted);
    return new Figures(
        count,
        sum / 1e6,
        count == 0 ? 0 : (double) sum / count,
        wallNanos == 0 ? 0 : (double) sum / wallNanos,
        percentile(sorted, 0.5),
        percentile(sorted, 0.99),
        percentile(sorted, 0.999),
        longest,
        longestCollected,
        wallNanos / 1e6,
        reservedRatio,
        driver);
  }

  /** The least that so large a part of all calls does not exceed. */
  private static long percentile(long[] sorted, double part) {
    int rank = (int) Math.ceil(part * sorted.length);
    return sorted.length == 0 ? 0 : sorted[Math.max(0, rank - 1)];
  }
}
