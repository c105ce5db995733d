package org.vramkit.pool.caching;

import java.time.Instant;
import java.util.Collections;
import java.util.Iterator;

/**
 * The latest events of a caching allocator at one moment, the oldest first. There are no gaps
 * within the time that they span, unless the Java heap was full. Events are stored encoded, and the
 * iterator decodes them one at a time. Thread-safe, except for iterators.
 */
public interface AllocatorHistory extends Iterable<HistoryEvent> {
  /** The history of an allocator that keeps none. */
  AllocatorHistory NONE =
      new AllocatorHistory() {
        @Override
        public long getCount() {
          return 0;
        }

        @Override
        public long getLost() {
          return 0;
        }

        @Override
        public long getEncodedBytes() {
          return 0;
        }

        @Override
        public Instant getBegin() {
          return Instant.EPOCH;
        }

        @Override
        public Iterator<HistoryEvent> iterator() {
          return Collections.emptyIterator();
        }
      };

  /** Returns the number of events. */
  long getCount();

  /**
   * Returns the number of events since the creation of the allocator that are older than these, or
   * could not be stored.
   */
  long getLost();

  /** Returns the bytes of the Java heap that the events take. */
  long getEncodedBytes();

  /** Returns the time from which the times of events count. */
  Instant getBegin();

  /**
   * Returns the name of a stream by the handle in its events; empty if it has none. For a handle
   * that was reused, returns the latest name.
   */
  default String getStreamName(long handle) {
    return "";
  }

  @Override
  Iterator<HistoryEvent> iterator();
}
