package org.vramkit.tools.trace;

import java.util.Arrays;

/**
 * The memory that the recorded allocator held of the driver, as steps: from a point's event on
 * there are that many bytes. Where there are too many points, the highest and the last of each few
 * stay, so that no peak is lost.
 */
public final class ReservedBytes {
  private static final int MOST = 1 << 17;
  private static final int GROUP = 4;

  private int[] events = new int[64];
  private long[] bytes = new long[64];
  private int count;
  private long now;
  private long most;

  ReservedBytes() {}

  /** Adds memory that came after an event, or went where the change is negative. */
  void add(int event, long change) {
    now += change;
    most = Math.max(most, now);
    if (count == MOST) {
      thin();
    }
    if (count == events.length) {
      events = Arrays.copyOf(events, 2 * count);
      bytes = Arrays.copyOf(bytes, 2 * count);
    }
    events[count] = event;
    bytes[count++] = now;
  }

  private void thin() {
    int kept = 0;
    for (int from = 0; from < count; from += GROUP) {
      int last = Math.min(count, from + GROUP) - 1;
      int highest = from;
      for (int i = from; i <= last; i++) {
        highest = bytes[i] > bytes[highest] ? i : highest;
      }
      // The group's first event, so that memory never seems to come later than it did.
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

  /** The same with what was there from the beginning. */
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

  /** Returns the sum of all changes. */
  long getNow() {
    return now;
  }

  /** How many events lie before each point; rising, and equal where more changed between two. */
  public int[] getEvents() {
    return Arrays.copyOf(events, count);
  }

  /** The bytes from each point on. */
  public long[] getBytes() {
    return Arrays.copyOf(bytes, count);
  }

  /** The most bytes at once; 0 where the recording tells of none. */
  public long getPeak() {
    return most;
  }
}
