package org.vramkit.pool.caching.internal.history;

import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.caching.HistoryEvent.Action;

/** A copy of the latest records of a ring. */
final class HistoryView implements AllocatorHistory {
  private static final List<Action> ACTIONS = List.of(Action.values());

  /** The low bits of every address are 0, so a record has its action there. */
  private static final long ACTION_BITS = 0xFF;

  private final HistoryRing ring;
  private final long[] words;
  private final int count;
  private final long lost;

  /** Creates a view of the first {@code count} records of the words, which are not copied. */
  HistoryView(HistoryRing ring, long[] words, int count, long lost) {
    this.ring = ring;
    this.words = words;
    this.count = count;
    this.lost = lost;
  }

  static long place(long address, Action action) {
    return address | ACTIONS.indexOf(action);
  }

  static Action actionOf(long place) {
    return ACTIONS.get((int) (place & ACTION_BITS));
  }

  static long addressOf(long place) {
    return place & ~ACTION_BITS;
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
    return new Iterator<>() {
      private int at;

      /** Threads read the clock before they claim a record, so one may be older than the last. */
      private long nanos = Long.MIN_VALUE;

      @Override
      public boolean hasNext() {
        return at < count * HistoryRing.WORDS;
      }

      @Override
      public HistoryEvent next() {
        if (!hasNext()) {
          throw new NoSuchElementException("no more events");
        }
        nanos = Math.max(nanos, words[at]);
        HistoryEvent event = eventAt(at, nanos);
        at += HistoryRing.WORDS;
        return event;
      }
    };
  }

  private HistoryEvent eventAt(int at, long nanos) {
    long origin = words[at + 4];
    return new HistoryEvent(
        actionOf(words[at + 1]),
        nanos,
        addressOf(words[at + 1]),
        words[at + 2],
        words[at + 3],
        HistoryRing.threadOf(origin),
        ring.tagOf(origin),
        ring.stackOf(origin),
        words[at + 5]);
  }

  @Override
  public String toString() {
    return count + " events, " + lost + " lost";
  }
}
