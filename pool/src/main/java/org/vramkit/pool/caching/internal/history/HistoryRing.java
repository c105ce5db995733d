package org.vramkit.pool.caching.internal.history;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.pool.caching.AllocatorHistory;

/**
 * The chunks of all writers, in the order in which they were begun. Whoever needs one more takes it
 * here; where that is more than there is room for, the oldest goes. So threads meet here once in
 * some thousand events.
 *
 * <p>Writers are not equally busy: an idle one's chunk may be older than what was dropped of
 * others. So that nothing is missing between the events that are told, a reader leaves out what is
 * not later than the latest event dropped.
 */
public final class HistoryRing {
  private static final int LEAST_CHUNK_BYTES = 1 << 12;
  private static final int MOST_CHUNK_BYTES = 1 << 16;

  /** The room is at least so many times a chunk. */
  private static final int CHUNKS = 16;

  final boolean stacks;
  final int mostChunkBytes;
  final Names<String> tags = new Names<>("", TagUsage.OTHERS);
  final Names<List<StackTraceElement>> calls = new Names<>(List.of(), List.of());

  private final long mostBytes;
  private final LongSupplier clock;
  private final long beginNanos;
  private final Instant begin = Instant.now();

  /** Whether the clock may stand still: then the events' own order is told by their times. */
  private final boolean ordering;

  private final AtomicLong latest = new AtomicLong(-1);
  private final LongAdder unnoted = new LongAdder();

  // Guarded by the monitor, which is a leaf.
  private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();
  private long bytes;
  private long dropped;
  private long droppedUpTo = -1;

  /**
   * No events.
   *
   * @param mostBytes room for encoded events
   * @param stacks whether each event has its stack
   * @param clock of nanoseconds
   * @param ordering whether that clock may tell one time twice
   */
  public HistoryRing(long mostBytes, boolean stacks, LongSupplier clock, boolean ordering) {
    this.mostBytes = mostBytes;
    this.stacks = stacks;
    this.clock = clock;
    this.ordering = ordering;
    this.beginNanos = clock.getAsLong();
    long share = Long.highestOneBit(Math.max(1, mostBytes / CHUNKS));
    this.mostChunkBytes = (int) Math.max(LEAST_CHUNK_BYTES, Math.min(MOST_CHUNK_BYTES, share));
  }

  /** A writer for one group of threads, guarded by what guards these. */
  public HistoryWriter newWriter() {
    return new HistoryWriter(this);
  }

  long now() {
    long now = clock.getAsLong() - beginNanos;
    return ordering ? later(now) : now;
  }

  private long later(long now) {
    long before;
    long next;
    do {
      before = latest.get();
      next = Math.max(now, before + 1);
    } while (!latest.compareAndSet(before, next));
    return next;
  }

  int stackNumber() {
    return stacks ? calls.numberOf(CallerStack.take()) : 0;
  }

  void lost(int events) {
    unnoted.add(events);
  }

  /** Takes a new chunk in, and drops old ones until there is room for it. */
  synchronized void add(Chunk chunk) {
    chunks.addLast(chunk);
    bytes += chunk.data.length;
    Iterator<Chunk> oldest = chunks.iterator();
    while (bytes > mostBytes && oldest.hasNext()) {
      Chunk each = oldest.next();
      if (each.isEnded()) {
        oldest.remove();
        bytes -= each.data.length;
        dropped += Chunk.eventsOf(each.published());
        droppedUpTo = Math.max(droppedUpTo, each.last());
      }
    }
  }

  /** What there is now. */
  public AllocatorHistory read() {
    List<ChunkView> views = new ArrayList<>();
    long gone;
    long after;
    synchronized (this) {
      chunks.forEach(each -> views.add(new ChunkView(each, each.published())));
      gone = dropped + unnoted.sum();
      after = droppedUpTo;
    }
    return HistoryView.of(this, views, gone, after);
  }

  Instant begin() {
    return begin;
  }
}
