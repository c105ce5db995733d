package org.vramkit.tools.replay;

import java.util.Arrays;

/**
 * Requested and reserved bytes over the first pass, thinned to at most {@value #POINTS} points. A
 * point's time is that of its last event; requested is the most since the point before, reserved is
 * the value at that time.
 */
public final class Timeline {
  /** More than a chart has pixels. */
  public static final int POINTS = 2000;

  private final int stride;
  private final long[] nanos = new long[POINTS + 2];
  private final long[] requested = new long[POINTS + 2];
  private final long[] reserved = new long[POINTS + 2];
  private int count;
  private long most;

  Timeline(int events) {
    stride = events / POINTS + 1;
  }

  /** Hears the requested bytes after an event; true if {@link #add} is wanted now. */
  boolean hears(int event, long requestedBytes) {
    most = Math.max(most, requestedBytes);
    return (event + 1) % stride == 0;
  }

  void add(long timeNanos, long reservedBytes) {
    nanos[count] = timeNanos;
    requested[count] = most;
    reserved[count++] = reservedBytes;
    most = 0;
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
