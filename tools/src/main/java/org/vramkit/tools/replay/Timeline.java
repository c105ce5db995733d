package org.vramkit.tools.replay;

import java.util.Arrays;

/**
 * Requested and reserved bytes over the first pass, thinned to at most {@value #POINTS} points. A
 * point stands for the events since the one before and has the time of the last of them. Requested
 * is their exact maximum; reserved is the larger of the values at their end and where requested
 * rose to a new peak of the whole trace.
 */
public final class Timeline {
  /** More than a chart has pixels. */
  public static final int POINTS = 2000;

  private final int events;
  private final int stride;
  private final long[] nanos = new long[POINTS + 1];
  private final long[] requested = new long[POINTS + 1];
  private final long[] reserved = new long[POINTS + 1];
  private int count;
  private long peak;
  private long mostRequested;
  private long mostReserved;

  Timeline(int events) {
    this.events = events;
    this.stride = events / POINTS + 1;
  }

  /**
   * Hears the requested bytes after an event; true if {@link #add} wants the reserved ones. Those
   * of an allocator with thousands of streams take long to read, so while a peak rises only its top
   * is looked at.
   *
   * @param rises whether the next event allocates
   */
  boolean hears(int event, long requestedBytes, boolean rises) {
    mostRequested = Math.max(mostRequested, requestedBytes);
    boolean newPeak = requestedBytes > peak;
    peak = Math.max(peak, requestedBytes);
    return (newPeak && !rises) || isLast(event);
  }

  void add(int event, long timeNanos, long reservedBytes) {
    mostReserved = Math.max(mostReserved, reservedBytes);
    if (isLast(event)) {
      nanos[count] = timeNanos;
      requested[count] = mostRequested;
      reserved[count++] = mostReserved;
      mostRequested = 0;
      mostReserved = 0;
    }
  }

  private boolean isLast(int event) {
    return (event + 1) % stride == 0 || event + 1 == events;
  }

  /** Times in nanoseconds since the first event. */
  public long[] getNanos() {
    return Arrays.copyOf(nanos, count);
  }

  /** Requested bytes at those times. */
  public long[] getRequested() {
    return Arrays.copyOf(requested, count);
  }

  /** Reserved bytes at those times. */
  public long[] getReserved() {
    return Arrays.copyOf(reserved, count);
  }
}
