package org.vramkit.partition.scatter;

import java.util.Arrays;

/**
 * Estimates the throughput of a device from its completed chunks. Only busy time counts. The first
 * chunk is a warm-up and is ignored. While two chunks are in progress, a sample covers the last
 * two, because the device may work on both at once. The median of the last samples filters
 * outliers.
 */
final class ThroughputEstimate {
  private static final int SAMPLES = 5;

  private final double[] samples = new double[SAMPLES];
  private int count;

  /** Busy nanoseconds at the ends of the last three chunks, newest first. */
  private final long[] ends = new long[3];

  /** Units of the last two chunks, newest first. */
  private final long[] units = new long[2];

  private int finished;

  /** Number of chunks completed in a row while two were allowed in progress. */
  private int deep;

  /** Busy nanoseconds up to {@link #busySince}. */
  private long busyBefore;

  private long busySince;
  private int inProgress;

  void begun(long now) {
    if (inProgress++ == 0) {
      busySince = now;
    }
  }

  /** Records that a chunk ended without a result, which gives no sample. */
  void dropped(long now) {
    busyBefore = busy(now);
    busySince = now;
    inProgress--;
  }

  /**
   * Records a completed chunk.
   *
   * @param depth maximum number of chunks in progress
   */
  void finished(long done, int depth, long now) {
    dropped(now);
    System.arraycopy(ends, 0, ends, 1, 2);
    ends[0] = busyBefore;
    units[1] = units[0];
    units[0] = done;
    finished++;
    deep = depth > 1 ? deep + 1 : 0;
    if (deep == 0 && finished > 1) {
      sample((double) units[0], ends[0] - ends[1]);
    } else if (deep > 1 && finished > 2) {
      sample((double) units[0] + units[1], ends[0] - ends[2]);
    }
  }

  private void sample(double done, long nanos) {
    samples[count++ % SAMPLES] = done / Math.max(1, nanos);
  }

  /** Returns the rate in units per nanosecond; 0 if unknown. */
  double rate() {
    int known = Math.min(count, SAMPLES);
    if (known == 0) {
      return 0;
    }
    double[] sorted = Arrays.copyOf(samples, known);
    Arrays.sort(sorted);
    return known % 2 == 1 ? sorted[known / 2] : (sorted[known / 2 - 1] + sorted[known / 2]) / 2;
  }

  /**
   * Returns the smaller of the rate and the last sample: a slow sample may be the first of many.
   */
  double cautiousRate() {
    return count == 0 ? 0 : Math.min(rate(), samples[(count - 1) % SAMPLES]);
  }

  boolean isKnown() {
    return count > 0;
  }

  /** Returns the busy nanoseconds since the last completed chunk. */
  long sinceLastEnd(long now) {
    return busy(now) - ends[0];
  }

  private long busy(long now) {
    return inProgress == 0 ? busyBefore : busyBefore + (now - busySince);
  }
}
