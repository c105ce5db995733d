package org.vramkit.pool.support;

import org.vramkit.api.allocator.Stat;

/** A {@link Stat} in the making. Guarded by its owner. */
public final class Meter {
  private long current;
  private long peak;
  private long added;
  private long removed;

  /** Nothing was counted. */
  public Meter() {}

  /** Adds an amount. */
  public void add(long amount) {
    added += amount;
    current += amount;
    peak = Math.max(peak, current);
  }

  /** Removes an amount. */
  public void remove(long amount) {
    removed += amount;
    current -= amount;
  }

  /** Takes over a value that the driver counts. */
  void moveTo(long value) {
    if (value >= current) {
      add(value - current);
    } else {
      remove(current - value);
    }
  }

  /** Takes over a peak that the driver saw. */
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

  long peak() {
    return peak;
  }

  /** The figures. */
  public Stat read() {
    return new Stat(current, peak, added, removed);
  }
}
