package org.vramkit.pool.caching;

import java.time.Instant;
import java.util.Collections;
import java.util.Iterator;

/**
 * The latest events of a caching allocator at one moment, the oldest first. No event between the
 * first and the last is missing. Thread-safe, except for iterators.
 */
public interface AllocatorHistory extends Iterable<HistoryEvent> {
  /** The empty history of an allocator that keeps no events. */
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
   * Returns the number of events since the creation of the allocator that this history lacks,
   * because they are too old.
   */
  long getLost();

  /** Returns the time to which the times of events are relative. */
  Instant getBegin();

  /**
   * Returns the name of the stream with this handle; empty if the stream has none. If streams with
   * different names had the handle, returns the latest name.
   */
  default String getStreamName(long handle) {
    return "";
  }

  @Override
  Iterator<HistoryEvent> iterator();
}
