package org.vramkit.pool.support;

import org.vramkit.api.allocator.Tally;

/** A {@link Tally} in the making. Guarded by its owner. */
final class Meter {
  private long current;
  private long peak;
  private long added;
  private long removed;

  void add(long amount) {
    added += amount;
    current += amount;
    peak = Math.max(peak, current);
  }

  void remove(long amount) {
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

  void resetPeak() {
    peak = current;
  }

  long current() {
    return current;
  }

  Tally read() {
    return new Tally(current, peak, added, removed);
  }
}
