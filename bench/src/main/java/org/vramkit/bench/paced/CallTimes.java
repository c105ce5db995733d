package org.vramkit.bench.paced;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.DriverFigures;

/** Times of the allocator's calls in one or several passes. Not thread-safe. */
final class CallTimes {
  private long[] nanos;
  private int count;
  private long sum;
  private long longest;
  private long longestCollected;
  private long wallNanos;

  /** Creates an empty list with room for all calls, so that it does not grow during a pass. */
  CallTimes(int capacity) {
    nanos = new long[capacity];
  }

  /**
   * Adds a call.
   *
   * @param took time of the call in nanoseconds
   * @param collected whether the garbage collector ran during the call
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

  /** Adds the time of a pass, from its start to its last event, in nanoseconds. */
  void addPass(long passNanos) {
    wallNanos += passNanos;
  }

  /**
   * Computes the figures.
   *
   * @param reservedRatio peak of reserved bytes divided by peak of requested bytes
   * @param driver driver calls of the passes; null if not measured
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

  /** Returns a percentile by the nearest-rank method; {@code part} is 0 to 1. */
  private static long percentile(long[] sorted, double part) {
    int rank = (int) Math.ceil(part * sorted.length);
    return sorted.length == 0 ? 0 : sorted[Math.max(0, rank - 1)];
  }
}
