package org.vramkit.pool.caching.internal.stats;

/**
 * What one stripe took and gave back under one tag. Guarded by the stripe's lock.
 *
 * <p>The gauge, which all stripes share, is told of what is claimed here: never less than what is
 * live, and at most two chunks more. So the gauge is written only when an account leaves a band,
 * its peak is never too low, and it is too high by two chunks for each account at most.
 */
public final class TagAccount {
  /** Pairs of blocks up to twice that size touch no gauge. */
  static final long CHUNK_BYTES = 4L << 20;

  /**
   * Counts nothing: of a block that has no tag, and that something is to be done for at its end.
   */
  public static final TagAccount NONE = new TagAccount("", new LiveUsage.Level());

  final String tag;
  private final LiveUsage.Level gauge;

  long addedBytes;
  long removedBytes;
  long allocations;

  /** The most that was live here since peaks were reset. */
  private long peak;

  private long claimed;

  // The band: above it is a peak or lacks a claim, below it too much is claimed.
  private long upper;
  private long lower;

  TagAccount(String tag, LiveUsage.Level gauge) {
    this.tag = tag;
    this.gauge = gauge;
  }

  public String tag() {
    return tag;
  }

  /** A block of so many bytes was handed out. */
  public void allocated(long bytes) {
    allocations++;
    addedBytes += bytes;
    if (addedBytes - removedBytes > upper) {
      rise();
    }
  }

  /** It was closed. */
  public void freed(long bytes) {
    removedBytes += bytes;
    if (addedBytes - removedBytes < lower) {
      claim(live() + CHUNK_BYTES);
    }
  }

  private void rise() {
    long live = live();
    peak = Math.max(peak, live);
    if (live > claimed) {
      claim(live);
    } else {
      setBand();
    }
  }

  private void claim(long bytes) {
    gauge.add(bytes - claimed);
    claimed = bytes;
    setBand();
  }

  private void setBand() {
    upper = Math.min(peak, claimed);
    lower = claimed - 2 * CHUNK_BYTES;
  }

  long live() {
    return addedBytes - removedBytes;
  }

  long peak() {
    return peak;
  }

  /** Nobody uses the stripe any more. */
  void settle() {
    claim(live());
  }

  void resetPeak() {
    peak = live();
    settle();
  }
}
