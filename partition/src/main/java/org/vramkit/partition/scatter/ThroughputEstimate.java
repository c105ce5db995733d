package org.vramkit.partition.scatter;

import java.util.Arrays;

/**
 * How fast one device works, from what it finished. Time counts only while it has something to do.
 * The first chunk is a warm-up and tells nothing. Where two chunks are under way a rate is taken
 * over the last two, as the device may work on both at once; the median of the last few leaves
 * single outliers out.
 */
final class Speed {
  private static final int SAMPLES = 5;

  private final double[] samples = new double[SAMPLES];
  private int count;

  /** Busy time at the ends of the last three chunks, the newest first, and the units of two. */
  private final long[] ends = new long[3];

  private final long[] units = new long[2];
  private int finished;

  /** Chunks since two have been under way at a time. */
  private int deep;

  private long busyBefore;
  private long busySince;
  private int underWay;

  void begun(long now) {
    if (underWay++ == 0) {
      busySince = now;
    }
  }

  /** It gave a chunk up, which tells nothing of its rate. */
  void dropped(long now) {
    busyBefore = busy(now);
    busySince = now;
    underWay--;
  }

  /**
   * It finished a chunk.
   *
   * @param depth how many it may have under way
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

  /** Units a nanosecond; 0 if it is not known. */
  double rate() {
    int known = Math.min(count, SAMPLES);
    if (known == 0) {
      return 0;
    }
    double[] sorted = Arrays.copyOf(samples, known);
    Arrays.sort(sorted);
    return known % 2 == 1 ? sorted[known / 2] : (sorted[known / 2 - 1] + sorted[known / 2]) / 2;
  }

  /** The same, or what the last chunk showed if that was slower: it may be the first of many. */
  double cautiousRate() {
    return count == 0 ? 0 : Math.min(rate(), samples[(count - 1) % SAMPLES]);
  }

  boolean isKnown() {
    return count > 0;
  }

  /** Since it last finished something, or began to be busy after that. */
  long sinceLastEnd(long now) {
    return busy(now) - ends[0];
  }

  private long busy(long now) {
    return underWay == 0 ? busyBefore : busyBefore + (now - busySince);
  }
}
