package org.vramkit.pressure;

import java.util.Arrays;

/** The peaks of the last runs of one kind of job. Guarded by its {@link Admission}. */
final class PeakHistory {
  private static final int KEPT = 10;
  private static final double QUANTILE = 0.9;

  private final long[] peaks = new long[KEPT];
  private long runs;

  void add(long peak) {
    peaks[(int) (runs++ % KEPT)] = peak;
  }

  /** Returns the estimate for the next run; 0 without a run. */
  long estimate() {
    return quantile(inOrder());
  }

  DemandEstimate describe(String key) {
    long[] kept = inOrder();
    long last = kept.length == 0 ? 0 : kept[kept.length - 1];
    return new DemandEstimate(key, runs, quantile(kept), last, error(kept));
  }

  /** Compares each kept run with the estimate that the kept runs before it give. */
  private static double error(long[] kept) {
    double sum = 0;
    for (int i = 1; i < kept.length; i++) {
      long expected = quantile(Arrays.copyOf(kept, i));
      sum += Math.abs(expected - kept[i]) / (double) kept[i];
    }
    return kept.length < 2 ? 0 : sum / (kept.length - 1);
  }

  private long[] inOrder() {
    int count = (int) Math.min(runs, KEPT);
    long[] kept = new long[count];
    for (int i = 0; i < count; i++) {
      kept[i] = peaks[(int) ((runs - count + i) % KEPT)];
    }
    return kept;
  }

  private static long quantile(long[] values) {
    if (values.length == 0) {
      return 0;
    }
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.ceil(QUANTILE * sorted.length) - 1];
  }
}
