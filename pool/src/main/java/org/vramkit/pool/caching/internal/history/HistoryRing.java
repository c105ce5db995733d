package org.vramkit.pool.caching.internal.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.support.CallerStack;
import org.vramkit.pool.support.Streams;

/**
 * The chunks of all writers. Whoever needs one more takes it here; where that is more than there is
 * room for, the one that ended first goes. So threads meet here once in some thousand events.
 *
 * <p>Writers are not equally busy: an idle one's chunk may be older than what was dropped of
 * others. So that nothing is missing between the events that are told, a reader leaves out what is
 * not later than the latest event dropped. So chunks that are still written stay as long as there
 * are others; then the one goes that was written least lately. The more writers there are, the
 * smaller their chunks, so that what is begun takes half of the room at most, as far as that can
 * be.
 */
public final class HistoryRing {
  private static final int LEAST_CHUNK_BYTES = 1 << 9;
  private static final int MOST_CHUNK_BYTES = 1 << 16;

  /** The room is so many times a chunk for each writer, and for as many as there may well be. */
  private static final int CHUNKS = 2;

  private static final int FEW_WRITERS = 8;

  /** Frames kept of a stack. */
  private static final int MOST_FRAMES = 16;

  /** A program may make a named stream for each request. */
  private static final int MOST_STREAM_NAMES = 4096;

  /** A clock that does not tell one time twice in so many looks tells moments apart. */
  private static final int LOOKS = 100;

  final boolean stacks;
  final Names<String> tags = new Names<>("", TagUsage.OTHERS);
  final Names<List<StackTraceElement>> calls = new Names<>(List.of(), List.of());

  private final Map<Long, String> streamNames = new ConcurrentHashMap<>();
  private final long mostBytes;
  private final LongSupplier clock;
  private final long beginNanos;
  private final Instant begin = Instant.now();

  /** Whether the clock may stand still: then the events' own order is told by their times. */
  private final boolean ordering;

  private final AtomicLong latest = new AtomicLong(-1);
  private final LongAdder unnoted = new LongAdder();

  // Guarded by the monitor, which is a leaf.
  private final Set<Chunk> ended = new LinkedHashSet<>();
  private final Set<Chunk> open = new LinkedHashSet<>();
  private long bytes;
  private long dropped;
  private long droppedUpTo = -1;

  /**
   * No events.
   *
   * @param mostBytes room for encoded events
   * @param stacks whether each event has its stack
   * @param clock of nanoseconds
   * @param ordering whether that clock may tell one time twice; one that does so here and now is
   *     found out
   */
  public HistoryRing(long mostBytes, boolean stacks, LongSupplier clock, boolean ordering) {
    this.mostBytes = mostBytes;
    this.stacks = stacks;
    this.clock = clock;
    this.ordering = ordering || isCoarse(clock);
    this.beginNanos = clock.getAsLong();
  }

  /** A block may be handed from one thread to another within a tick of such a clock. */
  private static boolean isCoarse(LongSupplier clock) {
    long before = clock.getAsLong();
    for (int i = 0; i < LOOKS; i++) {
      long now = clock.getAsLong();
      if (now == before) {
        return true;
      }
      before = now;
    }
    return false;
  }

  /** Remembers the name of a stream whose handle events will have. */
  void name(Stream stream) {
    String name = Streams.givenNameOf(stream);
    if (!name.isEmpty() && streamNames.size() < MOST_STREAM_NAMES) {
      streamNames.put(stream.getHandle(), name);
    }
  }

  String nameOfStream(long handle) {
    return streamNames.getOrDefault(handle, "");
  }

  /**
   * A writer for one group of threads, guarded by what guards these.
   *
   * @param pool the private pool whose blocks they take; 0 for none
   */
  public HistoryWriter newWriter(Stream stream, long pool) {
    name(stream);
    return new HistoryWriter(this, pool);
  }

  /** A writer of events of all streams and pools. */
  HistoryWriter newWriter() {
    return new HistoryWriter(this, 0);
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
    return stacks ? calls.numberOf(CallerStack.take(MOST_FRAMES)) : 0;
  }

  void lost(int events) {
    unnoted.add(events);
  }

  /** How large a writer's next chunk may be: a power of two. */
  synchronized int mostChunkBytes() {
    long share = mostBytes / CHUNKS / Math.max(FEW_WRITERS, open.size() + 1);
    long even = Long.highestOneBit(Math.max(1, share));
    return (int) Math.max(LEAST_CHUNK_BYTES, Math.min(MOST_CHUNK_BYTES, even));
  }

  /** Takes a new chunk in, and drops others until there is room for it. */
  synchronized void add(Chunk chunk) {
    open.add(chunk);
    bytes += chunk.room;
    while (bytes > mostBytes) {
      boolean isAnyEnded = !ended.isEmpty();
      Chunk victim = isAnyEnded ? ended.iterator().next() : leastLately(chunk);
      if (victim == null) {
        return;
      }
      drop(isAnyEnded ? ended : open, victim);
    }
  }

  /** The open chunk that was written least lately, other than a new one; null if there is none. */
  private @Nullable Chunk leastLately(Chunk added) {
    Chunk least = null;
    for (Chunk each : open) {
      if (each != added && (least == null || each.last() < least.last())) {
        least = each;
      }
    }
    return least;
  }

  private void drop(Set<Chunk> list, Chunk chunk) {
    int events = chunk.drop();
    long last = chunk.last();
    list.remove(chunk);
    bytes -= chunk.room;
    dropped += events;
    // One that was begun for an event that is not written yet tells of none.
    droppedUpTo = events == 0 || last <= droppedUpTo ? droppedUpTo : last;
  }

  /** Its writer adds nothing more to it. */
  synchronized void end(Chunk chunk) {
    if (chunk.data() != null) {
      ended.add(chunk);
      open.remove(chunk);
    }
  }

  /** What there is now. */
  public AllocatorHistory read() {
    // Taken before any chunk is looked at: what was published too late for that, and all that it
    // made possible, is of this time or later, and is left out together.
    long until = timeAfterAll();
    List<Chunk.View> views = new ArrayList<>();
    long gone;
    long after;
    synchronized (this) {
      view(ended, views);
      view(open, views);
      gone = dropped + unnoted.sum();
      after = droppedUpTo;
    }
    return HistoryView.of(this, views, gone, after, until);
  }

  /** Later than every event that was noted before this was called. */
  private long timeAfterAll() {
    long before = now();
    long now;
    do {
      now = now();
    } while (now == before);
    return now;
  }

  private static void view(Set<Chunk> chunks, List<Chunk.View> views) {
    for (Chunk each : chunks) {
      Chunk.View view = each.view();
      if (view != null) {
        views.add(view);
      }
    }
  }

  Instant begin() {
    return begin;
  }
}
