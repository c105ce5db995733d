package org.vramkit.tools.trace;

/**
 * Recorded times as nanoseconds since the first event, which never go back.
 *
 * <p>An event of an earlier time than its predecessor's has that one's time. Where a time lies
 * further off than a replay can count, the event follows its predecessor at once and time goes on
 * from there: an entry left from long ago, or a clock that was set, must not hide all other times.
 */
final class EventTimes {
  /** 30 days, so that a thousand passes stay far below 2^63 ns. */
  static final long MAX_NANOS = 30L * 24 * 3600 * 1_000_000_000L;

  /** 10 ms: threads log a little out of order, the recorded RMM log by up to 0.1 ms. */
  static final long JITTER_NANOS = 10_000_000;

  private boolean isStarted;
  private long first;
  private long last;
  private long wentBack;
  private long leapt;

  /** Takes the time of the next event, and answers its nanoseconds since the first one. */
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

  /** The nanoseconds since the first event of something that is no event itself. */
  long since(long nanos) {
    return isStarted ? Math.max(0, Math.min(MAX_NANOS, nanos - first)) : 0;
  }

  /** The nanoseconds of the event that was taken last. */
  long getLast() {
    return last;
  }

  /** How often a time lay well before its predecessor's, beyond jitter. */
  long getWentBack() {
    return wentBack;
  }

  /** How often a time lay too far from the first one. */
  long getLeapt() {
    return leapt;
  }
}
