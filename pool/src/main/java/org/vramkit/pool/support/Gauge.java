package org.vramkit.pool.support;

import org.vramkit.api.allocator.Stat;

/** A quantity that rises and falls, with its peak and its sums. Guarded by its owner. */
public final class Gauge {
  private long current;
  private long peak;
  private long added;
  private long removed;

  /** Creates a gauge at 0. */
  public Gauge() {}

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

  /** Adopts a value that the driver counts. */
  void moveTo(long value) {
    if (value >= current) {
      add(value - current);
    } else {
      remove(current - value);
    }
  }

  /** Raises the peak to one that the driver measured. */
  void raisePeakTo(long value) {
    peak = Math.max(peak, value);
  }

  /** Resets the peak to the current value. */
  public void resetPeak() {
    peak = current;
  }

  /** Returns the current value. */
  public long current() {
    return current;
  }

  /** Returns the peak. */
  public long peak() {
    return peak;
  }

  /** Returns the figures. */
  public Stat read() {
    return new Stat(current, peak, added, removed);
  }
}
