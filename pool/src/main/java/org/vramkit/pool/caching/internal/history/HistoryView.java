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
  private final Collection<List<ChunkView>> byWriter;
  private final long after;
  private final long count;
  private final long lost;
  private final long bytes;

  private HistoryView(
      HistoryRing ring,
      Collection<List<ChunkView>> byWriter,
      long after,
      long count,
      long lost,
      long bytes) {
    this.ring = ring;
    this.byWriter = byWriter;
    this.after = after;
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
   */
  static HistoryView of(HistoryRing ring, List<ChunkView> chunks, long gone, long after) {
    Map<Object, List<ChunkView>> byWriter = new LinkedHashMap<>();
    long bytes = 0;
    long count = 0;
    long lost = gone;
    for (ChunkView each : chunks) {
      int late = each.chunk().base > after ? each.events() : countAfter(ring, each, after);
      count += late;
      lost += each.events() - late;
      bytes += each.bytes();
      if (late > 0) {
        byWriter.computeIfAbsent(each.chunk().writer, key -> new ArrayList<>()).add(each);
      }
    }
    return new HistoryView(ring, byWriter.values(), after, count, lost, bytes);
  }

  private static int countAfter(HistoryRing ring, ChunkView chunk, long after) {
    EventCursor cursor = new EventCursor(ring, List.of(chunk));
    int late = 0;
    while (cursor.advance()) {
      late += cursor.nanos() > after ? 1 : 0;
    }
    return late;
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
  public Iterator<HistoryEvent> iterator() {
    PriorityQueue<EventCursor> cursors =
        new PriorityQueue<>(
            Comparator.comparingLong(EventCursor::nanos).thenComparing(EventCursor::isAllocation));
    for (List<ChunkView> each : byWriter) {
      EventCursor cursor = new EventCursor(ring, each);
      boolean more = cursor.advance();
      while (more && cursor.nanos() <= after) {
        more = cursor.advance();
      }
      if (more) {
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
        if (first.advance()) {
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
