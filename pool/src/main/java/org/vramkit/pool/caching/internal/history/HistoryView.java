package org.vramkit.pool.caching.internal.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
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
  private final Collection<List<EventBuffer.View>> byWriter;
  private final long after;
  private final long until;
  private final long count;
  private final long lost;
  private final long bytes;

  private HistoryView(
      HistoryRing ring,
      Collection<List<EventBuffer.View>> byWriter,
      long after,
      long until,
      long count,
      long lost,
      long bytes) {
    this.ring = ring;
    this.byWriter = byWriter;
    this.after = after;
    this.until = until;
    this.count = count;
    this.lost = lost;
    this.bytes = bytes;
  }

  /**
   * Creates a view of buffers.
   *
   * @param gone number of events dropped or lost
   * @param after events up to this time are skipped
   * @param until events from this time on are skipped
   */
  static HistoryView of(
      HistoryRing ring, List<EventBuffer.View> buffers, long gone, long after, long until) {
    Map<Object, List<EventBuffer.View>> byWriter = new LinkedHashMap<>();
    long bytes = 0;
    long count = 0;
    long lost = gone;
    for (EventBuffer.View each : buffers) {
      int counted = each.events;
      if (each.buffer.base <= after || each.buffer.last() >= until) {
        int early = countWithin(ring, each, Long.MIN_VALUE, after);
        counted = countWithin(ring, each, after, until - 1);
        lost += early;
      }
      count += counted;
      bytes += each.bytes;
      if (counted > 0) {
        byWriter.computeIfAbsent(each.buffer.writer, key -> new ArrayList<>()).add(each);
      }
    }
    return new HistoryView(ring, byWriter.values(), after, until, count, lost, bytes);
  }

  /** Counts the events of a buffer after a time, up to another one. */
  private static int countWithin(HistoryRing ring, EventBuffer.View buffer, long after, long upTo) {
    EventDecoder cursor = new EventDecoder(ring, List.of(buffer));
    int count = 0;
    while (cursor.advance()) {
      count += cursor.nanos() > after && cursor.nanos() <= upTo ? 1 : 0;
    }
    return count;
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
    return ring.begin();
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
    for (List<EventBuffer.View> each : byWriter) {
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
