package org.vramkit.pool.support;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Stat;

/**
 * A quantity that rises and falls, with its peak and the sums of additions and removals. May be
 * part of a total, which counts every change too. Thread-safe; no other lock is acquired under the
 * monitor.
 */
public final class Gauge {
  private final @Nullable Gauge total;
  private long current;
  private long peak;
  private long added;
  private long removed;

  public Gauge() {
    this(null);
  }

  /** Creates a gauge at 0 that is part of {@code total}; null for none. */
  public Gauge(@Nullable Gauge total) {
    this.total = total;
  }

  /** Adds an amount; removes it if it is negative. */
  public void add(long amount) {
    synchronized (this) {
      current += amount;
      peak = Math.max(peak, current);
      added += Math.max(0, amount);
      removed -= Math.min(0, amount);
    }
    if (total != null) {
      total.add(amount);
    }
  }

  public void remove(long amount) {
    add(-amount);
  }

  /** Sets the current value to the driver's figure. */
  synchronized void moveTo(long value) {
    add(value - current);
  }

  /** Raises the peak to a peak that the driver measured. */
  synchronized void raisePeakTo(long value) {
    peak = Math.max(peak, value);
  }

  public synchronized void resetPeak() {
    peak = current;
  }

  /** Resets the peak to the current value, and the sums to 0. */
  public synchronized void reset() {
    peak = current;
    added = 0;
    removed = 0;
  }

  public synchronized long current() {
    return current;
  }

  public synchronized long peak() {
    return peak;
  }

  public synchronized Stat read() {
    return new Stat(current, peak, added, removed);
  }
}
