package org.vramkit.bench.trace;

/** The simulated time of a {@link ClockDevice}, in nanoseconds. Not thread-safe. */
final class Clock {
  private long now;

  long now() {
    return now;
  }

  /** Advances to a time unless it has passed. */
  void advanceTo(long time) {
    now = Math.max(now, time);
  }
}
