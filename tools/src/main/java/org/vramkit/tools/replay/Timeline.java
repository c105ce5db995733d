package org.vramkit.tools.replay;

import java.util.Arrays;

/**
 * Requested and reserved bytes over the first pass, thinned to at most {@value #POINTS} points. A
 * point stands for the events from its own on until that of the next point. Requested is their
 * exact maximum; reserved is the largest of the values where requested was highest so far among
 * them, and at their end. So reserved is nowhere below requested, unless an allocation was refused.
 */
public final class Timeline {
  /** More than a chart has pixels. */
  public static final int POINTS = 2000;

  private final int events;
  private final int stride;
  private final long[] requested = new long[POINTS + 1];
  private final long[] reserved = new long[POINTS + 1];
  private int count;
  private long mostRequested = -1;
  private long mostReserved;

  Timeline(int events) {
    this.events = events;
    this.stride = events / POINTS + 1;
  }

  /**
   * Takes the requested bytes after an event; true if {@link #add} wants the reserved ones. Those
   * of an allocator with thousands of streams take long to read, so while requested rises only its
   * top is looked at.
   *
   * @param rises whether the next event allocates
   */
  boolean hears(int event, long requestedBytes, boolean rises) {
    boolean isHighest = requestedBytes > mostRequested;
    mostRequested = Math.max(mostRequested, requestedBytes);
    return (isHighest && !rises) || isLast(event);
  }

  void add(int event, long reservedBytes) {
    mostReserved = Math.max(mostReserved, reservedBytes);
    if (isLast(event)) {
      requested[count] = mostRequested;
      reserved[count++] = mostReserved;
      mostRequested = -1;
      mostReserved = 0;
    }
  }

  private boolean isLast(int event) {
    return (event + 1) % stride == 0 || event + 1 == events;
  }

  /** How many points there are. */
  public int getCount() {
    return count;
  }

  /** The event that a point begins with. */
  public int getFirstEvent(int point) {
    return point * stride;
  }

  /** Requested bytes at each point. */
  public long[] getRequested() {
    return Arrays.copyOf(requested, count);
  }

  /** Reserved bytes at each point. */
  public long[] getReserved() {
    return Arrays.copyOf(reserved, count);
  }
}
