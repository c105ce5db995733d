package org.vramkit.pool.caching.internal.history;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of encoded events of one writer; other threads read what it has published. It can be
 * decoded by itself, so the ring may drop any buffer, even one being written: its writer notices
 * when it publishes. The ring's monitor guards dropping.
 */
final class EventBuffer {
  private static final long DROPPED = -1;

  /** The time that the first event counts from. */
  final long base;

  /** The writer, to tell writers apart. */
  final Object writer;

  final int room;

  /** Null once dropped, because an idle writer would keep the bytes otherwise. */
  private volatile byte @Nullable [] data;

  /** The number of complete events, and of their bytes, in its halves. */
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
   * @param eventsBefore events published before
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

  /** Drops the buffer, also for its writer. */
  int drop() {
    long before = published.getAndSet(DROPPED);
    if (before != DROPPED) {
      droppedEvents = eventsOf(before);
    }
    data = null;
    return droppedEvents;
  }

  /** Returns a time from that of the latest event to that of the next one. */
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

  /** Returns the present events; null if the buffer is dropped. */
  @Nullable View view() {
    byte[] now = data;
    long seen = published.get();
    // A JVM error may have interrupted dropping.
    return now == null || seen < 0 ? null : new View(this, now, seen);
  }
}
