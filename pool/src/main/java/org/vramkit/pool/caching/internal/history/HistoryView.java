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

/** The events of some chunks, by time. */
final class HistoryView implements AllocatorHistory {
  private final HistoryRing ring;
  private final Collection<List<Chunk.View>> byWriter;
  private final long after;
  private final long until;
  private final long count;
  private final long lost;
  private final long bytes;

  private HistoryView(
      HistoryRing ring,
      Collection<List<Chunk.View>> byWriter,
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
   * Looks at chunks.
   *
   * @param chunks each writer's in their order
   * @param gone events that are in none of them
   * @param after what happened later is told
   * @param until unless it happened then or later
   */
  static HistoryView of(
      HistoryRing ring, List<Chunk.View> chunks, long gone, long after, long until) {
    Map<Object, List<Chunk.View>> byWriter = new LinkedHashMap<>();
    long bytes = 0;
    long count = 0;
    long lost = gone;
    for (Chunk.View each : chunks) {
      int told = each.events;
      if (each.chunk.base <= after || each.chunk.last() >= until) {
        int early = countWithin(ring, each, Long.MIN_VALUE, after);
        told = countWithin(ring, each, after, until - 1);
        lost += early;
      }
      count += told;
      bytes += each.bytes;
      if (told > 0) {
        byWriter.computeIfAbsent(each.chunk.writer, key -> new ArrayList<>()).add(each);
      }
    }
    return new HistoryView(ring, byWriter.values(), after, until, count, lost, bytes);
  }

  /** Of a chunk the events after a time, up to another one. */
  private static int countWithin(HistoryRing ring, Chunk.View chunk, long after, long upTo) {
    EventCursor cursor = new EventCursor(ring, List.of(chunk));
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
    PriorityQueue<EventCursor> cursors =
        new PriorityQueue<>(
            Comparator.comparingLong(EventCursor::nanos).thenComparing(EventCursor::isAllocation));
    for (List<Chunk.View> each : byWriter) {
      EventCursor cursor = new EventCursor(ring, each);
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
        EventCursor first = cursors.poll();
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
