package org.vramkit.bench.trace;

/** The virtual time of a {@link ClockDevice}, in nanoseconds. For one thread. */
final class Clock {
  private long now;

  long now() {
    return now;
  }

  /** Goes forward to a time, or stays. */
  void advanceTo(long time) {
    now = Math.max(now, time);
  }
}
