package org.vramkit.pool.caching.internal.history;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of encoded events of one writer. Other threads read the published events. Each buffer
 * can be decoded by itself, so the ring may drop any buffer, even one being written; the writer
 * notices this when it publishes. The ring's monitor guards dropping.
 */
final class EventBuffer {
  private static final long DROPPED = -1;

  /** The time from which the time of the first event is counted. */
  final long base;

  /** The writer, to tell writers apart. */
  final Object writer;

  final int room;

  /** Null once dropped, because an idle writer would keep the bytes otherwise. */
  private volatile byte @Nullable [] data;

  /** The number of published events in the upper half, and of their bytes in the lower half. */
  private final AtomicLong published = new AtomicLong();

  /** At least the time of the latest published event. */
  private final AtomicLong last;

  private int droppedEvents;

  EventBuffer(Object writer, int bytes, long base) {
    this.writer = writer;
    this.room = bytes;
    this.data = new byte[bytes];
    this.base = base;
    this.last = new AtomicLong(base);
  }

  byte @Nullable [] data() {
    return data;
  }

  /**
   * Publishes added events.
   *
   * @param eventsBefore number of events published before, of {@code bytesBefore} bytes
   * @param bytes bytes of all events; {@code nanos} is the time of the last
   * @return false if the buffer was dropped, and nothing was added
   */
  boolean publish(int eventsBefore, int bytesBefore, int events, int bytes, long nanos) {
    last.lazySet(nanos);
    return published.compareAndSet(
        packed(eventsBefore, bytesBefore), packed(eventsBefore + events, bytes));
  }

  private static long packed(int events, int bytes) {
    return (long) events << Integer.SIZE | bytes;
  }

  /** Drops the buffer. Returns the number of events that were dropped. */
  int drop() {
    long before = published.getAndSet(DROPPED);
    if (before != DROPPED) {
      droppedEvents = eventsOf(before);
    }
    data = null;
    return droppedEvents;
  }

  /** Returns a time that is not before the latest event and not after the next event. */
  long last() {
    return last.get();
  }

  private static int eventsOf(long published) {
    return (int) (published >>> Integer.SIZE);
  }

  /** The state of a buffer at one moment. */
  static final class View {
    final EventBuffer buffer;

    /** The bytes, which stay when the ring drops the buffer. */
    final byte[] data;

    final int events;
    final int bytes;

    private View(EventBuffer buffer, byte[] data, long published) {
      this.buffer = buffer;
      this.data = data;
      this.events = eventsOf(published);
      this.bytes = (int) published;
    }
  }

  /** Returns the events published so far; null if the buffer was dropped. */
  @Nullable View view() {
    byte[] now = data;
    long seen = published.get();
    // A JVM error may have interrupted dropping.
    return now == null || seen < 0 ? null : new View(this, now, seen);
  }
}
