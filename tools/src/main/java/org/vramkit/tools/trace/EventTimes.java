package org.vramkit.tools.trace;

/**
 * Converts recorded times to nanoseconds since the first event that never decrease.
 *
 * <p>An event earlier than its predecessor gets the predecessor's time. So does an event more than
 * {@link #MAX_NANOS} after the first event or before its predecessor, such as a stale entry or one
 * after a change of the clock; later times are then relative to it.
 */
final class EventTimes {
  /** The longest recording, 30 days, so that a thousand passes stay far below 2^63 ns. */
  static final long MAX_NANOS = 30L * 24 * 3600 * 1_000_000_000L;

  /** Steps back of up to 10 ms are not counted: threads log slightly out of order. */
  static final long JITTER_NANOS = 10_000_000;

  private boolean isStarted;
  private long first;
  private long last;
  private long wentBack;
  private long leapt;

  /** Converts the time of the next event. */
  long next(long nanos) {
    if (!isStarted) {
      isStarted = true;
      first = nanos;
    }
    long since = nanos - first;
    if (since > MAX_NANOS || since < last - MAX_NANOS) {
      leapt++;
      first = nanos - last;
      since = last;
    }
    if (since < last - JITTER_NANOS) {
      wentBack++;
    }
    last = Math.max(last, since);
    return last;
  }

  /** Converts the time of an entry that is not an allocation or a free. */
  long since(long nanos) {
    return isStarted ? Math.max(0, Math.min(MAX_NANOS, nanos - first)) : 0;
  }

  /** Returns the converted time of the last event. */
  long getLast() {
    return last;
  }

  /** Returns how often a time was more than {@link #JITTER_NANOS} before its predecessor. */
  long getWentBack() {
    return wentBack;
  }

  /** Returns how often a time was replaced because of {@link #MAX_NANOS}. */
  long getLeapt() {
    return leapt;
  }
}
