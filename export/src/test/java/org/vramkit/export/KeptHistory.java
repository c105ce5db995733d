package org.vramkit.export;

import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.HistoryEvent;

/** A history made by hand. */
record KeptHistory(List<HistoryEvent> events) implements AllocatorHistory {
  @Override
  public long getCount() {
    return events.size();
  }

  @Override
  public long getLost() {
    return 0;
  }

  @Override
  public Instant getBegin() {
    return Instant.ofEpochSecond(1_700_000_000L, 123_456_789);
  }

  @Override
  public Iterator<HistoryEvent> iterator() {
    return events.iterator();
  }
}
