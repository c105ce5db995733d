package org.vramkit.tools.trace;

import java.util.Arrays;

/**
 * The recorded allocator's reserved bytes as a step function over events. If there are too many
 * points, only the highest and the last of each group are kept, which preserves peaks.
 */
public final class ReservedBytes {
  private static final int MAX_POINTS = 1 << 17;
  private static final int GROUP = 4;

  private int[] events = new int[64];
  private long[] bytes = new long[64];
  private int count;
  private long now;
  private long most;

  ReservedBytes() {}

  /** Adds a change of the reserved bytes that happened before {@code event}. */
  void add(int event, long change) {
    now += change;
    most = Math.max(most, now);
    if (count == MAX_POINTS) {
      downsample();
    }
    if (count == events.length) {
      events = Arrays.copyOf(events, 2 * count);
      bytes = Arrays.copyOf(bytes, 2 * count);
    }
    events[count] = event;
    bytes[count++] = now;
  }

  private void downsample() {
    int kept = 0;
    for (int from = 0; from < count; from += GROUP) {
      int last = Math.min(count, from + GROUP) - 1;
      int highest = from;
      for (int i = from; i <= last; i++) {
        highest = bytes[i] > bytes[highest] ? i : highest;
      }
      // The highest value takes the group's first event, so that a rise is never shown too late.
      keep(kept++, from, highest);
      if (last > highest) {
        keep(kept++, last, last);
      }
    }
    count = kept;
  }

  private void keep(int place, int event, int value) {
    events[place] = events[event];
    bytes[place] = bytes[value];
  }

  /** Adds memory reserved before the first event to all points. */
  void startWith(long before) {
    if (count == 0 && before > 0) {
      add(0, 0);
    }
    for (int i = 0; i < count; i++) {
      bytes[i] += before;
    }
    now += before;
    most += before;
  }

  /** Returns the reserved bytes after the last change. */
  long getNow() {
    return now;
  }

  /**
   * Returns the event of each point, in order. Several changes before an event have several points.
   */
  public int[] getEvents() {
    return Arrays.copyOf(events, count);
  }

  /** Returns the reserved bytes from each point on. */
  public long[] getBytes() {
    return Arrays.copyOf(bytes, count);
  }

  /** Returns the peak; 0 if the recording has no such events. */
  public long getPeak() {
    return most;
  }
}
