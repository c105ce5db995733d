package org.vramkit.pool.caching.internal.stats;

import java.util.concurrent.atomic.AtomicLong;

/**
 * One quantity and its peak. While it rises the peak is what it is now, and is noted before it
 * falls: so each change is one atomic step, and the peak misses none.
 */
final class PeakGauge {
  private final AtomicLong current = new AtomicLong();
  private final AtomicLong noted = new AtomicLong();

  void add(long delta) {
    if (delta > 0) {
      current.addAndGet(delta);
    } else if (delta < 0) {
      long before;
      do {
        before = current.get();
        note(before);
      } while (!current.compareAndSet(before, before + delta));
      // Peaks were perhaps reset between the two.
      note(before);
    }
  }

  void note(long value) {
    // Reads first: far below the peak, threads share this and write nothing.
    long highest = noted.get();
    while (value > highest && !noted.compareAndSet(highest, value)) {
      highest = noted.get();
    }
  }

  long current() {
    return current.get();
  }

  long peak() {
    // In this order, because a value is noted before it falls.
    long now = current.get();
    return Math.max(now, noted.get());
  }

  long room() {
    long now = current.get();
    return Math.max(0, noted.get() - now);
  }

  void resetPeak() {
    noted.set(0);
  }
}
