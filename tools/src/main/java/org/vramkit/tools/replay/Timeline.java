package org.vramkit.tools.replay;

import java.util.Arrays;

/**
 * Reserved bytes over the first pass, downsampled to at most {@value #POINTS} points. Each point
 * covers the same number of events and has the maximum of its samples. Samples are taken whenever
 * the requested bytes reach a new maximum within the point, and at its last event. The value is
 * therefore at least the requested bytes, unless an allocation failed.
 */
public final class Timeline {
  /** The maximum number of points, more than a chart has pixels. */
  public static final int POINTS = 2000;

  private final int events;
  private final int stride;
  private final long[] reserved = new long[POINTS + 1];
  private int count;
  private long mostRequested = -1;
  private long mostReserved;

  Timeline(int events) {
    this.events = events;
    this.stride = events / POINTS + 1;
  }

  /**
   * Records the requested bytes after an event and returns whether the caller must sample reserved
   * bytes and call {@link #add}. Reading statistics is slow with thousands of streams, so a series
   * of allocations is sampled only at its end.
   *
   * @param rises whether the next event allocates
   */
  boolean wantsReserved(int event, long requestedBytes, boolean rises) {
    boolean isHighest = requestedBytes > mostRequested;
    mostRequested = Math.max(mostRequested, requestedBytes);
    return (isHighest && !rises) || isLast(event);
  }

  void add(int event, long reservedBytes) {
    mostReserved = Math.max(mostReserved, reservedBytes);
    if (isLast(event)) {
      reserved[count++] = mostReserved;
      mostRequested = -1;
      mostReserved = 0;
    }
  }

  private boolean isLast(int event) {
    return (event + 1) % stride == 0 || event + 1 == events;
  }

  /** Returns the number of points. */
  public int getCount() {
    return count;
  }

  /** Returns the first event of a point. */
  public int getFirstEvent(int point) {
    return point * stride;
  }

  /** Returns the reserved bytes of each point. */
  public long[] getReserved() {
    return Arrays.copyOf(reserved, count);
  }
}
