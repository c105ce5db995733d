package org.vramkit.pool.caching.internal.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.HistoryEvent;

/** The events of some buffers, in the order of time. */
final class HistoryView implements AllocatorHistory {
  private final HistoryRing ring;
  private final Map<Object, List<EventBuffer.View>> byWriter = new LinkedHashMap<>();
  private final long after;
  private final long until;
  private long count;
  private long lost;
  private long bytes;

  /**
   * Creates a view of buffers.
   *
   * @param gone number of events dropped or lost
   * @param after events up to this time are skipped
   * @param until events from this time on are skipped
   */
  HistoryView(HistoryRing ring, List<EventBuffer.View> buffers, long gone, long after, long until) {
    this.ring = ring;
    this.after = after;
    this.until = until;
    this.lost = gone;
    for (EventBuffer.View each : buffers) {
      long counted = each.events;
      if (each.buffer.base <= after || each.buffer.last() >= until) {
        long early = countUpTo(after, each);
        lost += early;
        counted = Math.max(0, countUpTo(until - 1, each) - early);
      }
      count += counted;
      bytes += each.bytes;
      if (counted > 0) {
        byWriter.computeIfAbsent(each.buffer.writer, key -> new ArrayList<>()).add(each);
      }
    }
  }

  private long countUpTo(long nanos, EventBuffer.View buffer) {
    EventDecoder cursor = new EventDecoder(ring, List.of(buffer));
    long counted = 0;
    while (cursor.advance() && cursor.nanos() <= nanos) {
      counted++;
    }
    return counted;
  }

  @Override
  public long getCount() {
    return count;
  }

  @Override
  public long getLost() {
    return lost;
  }

  @Override
  public long getEncodedBytes() {
    return bytes;
  }

  @Override
  public Instant getBegin() {
    return ring.begin;
  }

  @Override
  public String getStreamName(long handle) {
    return ring.nameOfStream(handle);
  }

  @Override
  public Iterator<HistoryEvent> iterator() {
    PriorityQueue<EventDecoder> cursors =
        new PriorityQueue<>(
            Comparator.comparingLong(EventDecoder::nanos)
                .thenComparing(EventDecoder::isAllocation));
    for (List<EventBuffer.View> each : byWriter.values()) {
      EventDecoder cursor = new EventDecoder(ring, each);
      boolean more = cursor.advance();
      while (more && cursor.nanos() <= after) {
        more = cursor.advance();
      }
      if (more && cursor.nanos() < until) {
        cursors.add(cursor);
      }
    }
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return !cursors.isEmpty();
      }

      @Override
      public HistoryEvent next() {
        EventDecoder first = cursors.poll();
        if (first == null) {
          throw new NoSuchElementException("no more events");
        }
        HistoryEvent event = first.event();
        if (first.advance() && first.nanos() < until) {
          cursors.add(first);
        }
        return event;
      }
    };
  }

  @Override
  public String toString() {
    return count + " events, " + lost + " lost";
  }
}
