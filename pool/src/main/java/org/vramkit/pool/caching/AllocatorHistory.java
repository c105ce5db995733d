package org.vramkit.pool.caching;

import java.time.Instant;
import java.util.Iterator;

/**
 * The latest events of a caching allocator, the oldest first, as they were when this was asked for.
 * Whatever happened within the time that they span is here, unless the JVM had no memory to note
 * it. Events are kept encoded, and made one at a time by the iterator, so a list of them all need
 * not be built. Safe for any thread; an iterator is one thread's.
 */
public interface AllocatorHistory extends Iterable<HistoryEvent> {
  /** Events that are here. */
  long getCount();

  /** Events that happened before these, or could not be noted, since the allocator was made. */
  long getLost();

  /** Bytes of the JVM's memory that the events take. */
  long getEncodedBytes();

  /** When the allocator was made: what times of events count from. */
  Instant getBegin();

  /**
   * The name of a stream whose handle events have; empty for none. Of the handles that were given
   * twice it is the latest one's.
   */
  default String getStreamName(long handle) {
    return "";
  }

  @Override
  Iterator<HistoryEvent> iterator();
}
