package org.vramkit.sim.timeline;

/**
 * Virtual time in nanoseconds, which ends some 292 years after its start: what would be later is at
 * its end, so that no duration, however long, turns into one that is past.
 */
public final class VirtualTime {
  /** The last moment. */
  public static final long END = Point.UNKNOWN - 1;

  private VirtualTime() {}

  /** The moment so many nanoseconds after another, or the sum of two durations; not negative. */
  public static long after(long time, long nanos) {
    return time >= END - nanos ? END : time + nanos;
  }

  /** A moment or duration, as far as there is one. */
  public static long bounded(long nanos) {
    return Math.min(nanos, END);
  }
}
