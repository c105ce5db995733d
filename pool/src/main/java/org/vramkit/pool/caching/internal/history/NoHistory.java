package org.vramkit.pool.caching.internal.history;

import java.time.Instant;
import java.util.Collections;
import java.util.Iterator;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.HistoryEvent;

/** The history of an allocator that keeps none. */
public record NoHistory() implements AllocatorHistory {
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
}
