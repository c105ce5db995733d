package org.vramkit.pool.caching.internal.history;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Encoded events of one writer, who alone adds to it; others read what was published. Its decoding
 * needs nothing that came before it, so any chunk can be dropped: also one that is still written,
 * which its writer finds out when it publishes. Whether it is dropped is guarded by the ring's
 * monitor.
 */
final class Chunk {
  private static final long DROPPED = -1;

  /** What the first event's time counts from. */
  final long base;

  /** Whose it is, to tell writers apart. */
  final Object writer;

  final int room;

  /** Null once it is dropped: an idle writer would keep the bytes otherwise. */
  private volatile byte @Nullable [] data;

  /** Events and bytes that are complete, in its halves. */
  private final AtomicLong published = new AtomicLong();

  /** No less than the time of the latest published event. */
  private final AtomicLong last;

  private int droppedEvents;

  Chunk(Object writer, int bytes, long base) {
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
   * Makes known what was added.
   *
   * @param eventsBefore as they were published before
   * @param nanos when the latest one happened
   * @return whether the chunk is still there; if not, nothing was added
   */
  boolean publish(int eventsBefore, int bytesBefore, int events, int bytes, long nanos) {
    last.lazySet(nanos);
    return published.compareAndSet(
        packed(eventsBefore, bytesBefore), packed(eventsBefore + events, bytes));
  }

  private static long packed(int events, int bytes) {
    return (long) events << Integer.SIZE | bytes;
  }

  /**
   * Takes it from its writer.
   *
   * @return the events that were in it
   */
  int drop() {
    long before = published.getAndSet(DROPPED);
    if (before != DROPPED) {
      droppedEvents = eventsOf(before);
    }
    data = null;
    return droppedEvents;
  }

  /** No less than the time of its latest event, and no more than that of the one after it. */
  long last() {
    return last.get();
  }

  private static int eventsOf(long published) {
    return (int) (published >>> Integer.SIZE);
  }

  /** A chunk as it was at one moment. */
  static final class View {
    final Chunk chunk;

    /** Its bytes, which stay here when the ring drops them. */
    final byte[] data;

    final int events;
    final int bytes;

    private View(Chunk chunk, byte[] data, long published) {
      this.chunk = chunk;
      this.data = data;
      this.events = eventsOf(published);
      this.bytes = (int) published;
    }
  }

  /** The events by now; null if it is dropped. */
  @Nullable View view() {
    byte[] now = data;
    long seen = published.get();
    // An error of the JVM may have come in between while it was dropped.
    return now == null || seen < 0 ? null : new View(this, now, seen);
  }
}
