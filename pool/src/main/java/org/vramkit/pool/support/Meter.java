package org.vramkit.pool.support;

import org.vramkit.api.allocator.Tally;

/** A {@link Tally} in the making. Guarded by its owner. */
public final class Meter {
  private long current;
  private long peak;
  private long added;
  private long removed;

  /** Nothing was counted. */
  public Meter() {}

  /** So much came. */
  public void add(long amount) {
    added += amount;
    current += amount;
    peak = Math.max(peak, current);
  }

  /** So much went. */
  public void remove(long amount) {
    removed += amount;
    current -= amount;
  }

  /** Takes over a value that somebody else counts. */
  void moveTo(long value) {
    if (value >= current) {
      add(value - current);
    } else {
      remove(current - value);
    }
  }

  /** Takes over a peak that somebody else saw. */
  void raisePeakTo(long value) {
    peak = Math.max(peak, value);
  }

  /** The peak is what there is now. */
  public void resetPeak() {
    peak = current;
  }

  long current() {
    return current;
  }

  /** The figures. */
  public Tally read() {
    return new Tally(current, peak, added, removed);
  }
}
