package org.vramkit.pool.caching.internal.history;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of records of one writer, each of the same size. Other threads read the published
 * records. The ring may drop any buffer, even one being written; the writer notices this when it
 * publishes. The ring's monitor guards dropping.
 */
final class EventBuffer {
  /** The words of a record: see {@link #add}. */
  static final int WORDS = 6;

  private static final int DROPPED = -1;

  final Object writer;

  final int bytes;

  /** Null once dropped, because an idle writer would keep the memory otherwise. */
  private volatile long @Nullable [] words;

  private final AtomicInteger published = new AtomicInteger();

  /** At least the time of the latest published record. */
  private final AtomicLong last;

  EventBuffer(Object writer, int bytes, long now) {
    this.writer = writer;
    this.bytes = bytes;
    this.words = new long[bytes / Long.BYTES];
    this.last = new AtomicLong(now);
  }

  /**
   * Adds and publishes a record.
   *
   * @param place the address, with the action in its low bits
   * @param origin the numbers of the thread, the stack and the tag
   * @return false if the buffer is full or was dropped, and nothing was added
   */
  boolean add(long nanos, long place, long size, long stream, long pool, long origin) {
    long[] data = words;
    int count = published.get();
    int at = count * WORDS;
    if (data == null || count == DROPPED || at + WORDS > data.length) {
      return false;
    }
    data[at] = nanos;
    data[at + 1] = place;
    data[at + 2] = size;
    data[at + 3] = stream;
    data[at + 4] = pool;
    data[at + 5] = origin;
    last.lazySet(nanos);
    return published.compareAndSet(count, count + 1);
  }

  boolean isDropped() {
    return words == null;
  }

  /** Drops the buffer. Returns the number of records that were dropped. */
  int drop() {
    words = null;
    return published.getAndSet(DROPPED);
  }

  /** Returns a time that is not before the latest record and not after the next one. */
  long last() {
    return last.get();
  }

  /** The records of a buffer at one moment, which stay when the ring drops the buffer. */
  static final class View {
    final Object writer;
    final long[] words;
    final int count;

    private View(Object writer, long[] words, int count) {
      this.writer = writer;
      this.words = words;
      this.count = count;
    }

    /** Returns the number of records up to a time. */
    int countUpTo(long nanos) {
      int low = 0;
      int high = count;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (words[middle * WORDS] <= nanos) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }

  /** Returns the records published so far; null if the buffer was dropped. */
  @Nullable View view() {
    long[] data = words;
    int count = published.get();
    return data == null || count == DROPPED ? null : new View(writer, data, count);
  }
}
