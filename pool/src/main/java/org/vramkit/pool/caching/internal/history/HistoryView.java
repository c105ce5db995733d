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
import org.vramkit.pool.caching.HistoryEvent.Action;
import org.vramkit.pool.caching.internal.history.EventBuffer.View;

/** The events of some buffers, in the order of time. */
final class HistoryView implements AllocatorHistory {
  private static final List<Action> ACTIONS = List.of(Action.values());

  /** The low bits of every address are 0, so a record has its action there. */
  private static final long ACTION_BITS = 0xFF;

  private static final int NUMBER_BITS = 16;
  private static final long NUMBER = (1 << NUMBER_BITS) - 1;

  private final HistoryRing ring;
  private final Map<Object, List<Part>> byWriter = new LinkedHashMap<>();
  private long count;
  private long lost;

  /** The records of a buffer that belong to the view. */
  private record Part(View buffer, int from, int to) {}

  /**
   * Creates a view of buffers.
   *
   * @param gone number of events dropped
   * @param after events up to this time are skipped
   * @param until events from this time on are skipped
   */
  HistoryView(HistoryRing ring, List<View> buffers, long gone, long after, long until) {
    this.ring = ring;
    this.lost = gone;
    for (View each : buffers) {
      int from = each.countUpTo(after);
      int to = each.countUpTo(until - 1);
      lost += from;
      if (from < to) {
        count += to - from;
        byWriter
            .computeIfAbsent(each.writer, key -> new ArrayList<>())
            .add(new Part(each, from, to));
      }
    }
  }

  static long place(long address, Action action) {
    return address | ACTIONS.indexOf(action);
  }

  static long origin(long thread, int stack, int tag) {
    return (thread << (2 * NUMBER_BITS)) | ((long) stack << NUMBER_BITS) | tag;
  }

  /** The next event of a writer. */
  private final class Cursor {
    private final Iterator<Part> parts;
    private Part part;
    private int at;

    Cursor(List<Part> all) {
      parts = all.iterator();
      part = parts.next();
      at = part.from;
    }

    /** Advances to the next event; returns false if there is none. */
    boolean advance() {
      if (++at == part.to) {
        if (!parts.hasNext()) {
          return false;
        }
        part = parts.next();
        at = part.from;
      }
      return true;
    }

    private long word(int number) {
      return part.buffer.words[at * EventBuffer.WORDS + number];
    }

    long nanos() {
      return word(0);
    }

    private Action action() {
      return ACTIONS.get((int) (word(1) & ACTION_BITS));
    }

    /** Returns whether this is an allocation, which comes after other events of the same time. */
    boolean isAllocation() {
      return action() == Action.ALLOCATE;
    }

    HistoryEvent event() {
      long origin = word(5);
      return new HistoryEvent(
          action(),
          nanos(),
          word(1) & ~ACTION_BITS,
          word(2),
          word(3),
          origin >>> (2 * NUMBER_BITS),
          ring.tags.nameOf((int) (origin & NUMBER)),
          ring.calls.nameOf((int) ((origin >>> NUMBER_BITS) & NUMBER)),
          word(4));
    }
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
  public Instant getBegin() {
    return ring.begin;
  }

  @Override
  public String getStreamName(long handle) {
    return ring.nameOfStream(handle);
  }

  @Override
  public Iterator<HistoryEvent> iterator() {
    PriorityQueue<Cursor> cursors =
        new PriorityQueue<>(
            Comparator.comparingLong(Cursor::nanos).thenComparing(Cursor::isAllocation));
    byWriter.values().forEach(each -> cursors.add(new Cursor(each)));
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return !cursors.isEmpty();
      }

      @Override
      public HistoryEvent next() {
        Cursor first = cursors.poll();
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
