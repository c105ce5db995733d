package org.vramkit.pool.caching.internal.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.support.CallerStack;
import org.vramkit.pool.support.Streams;

/**
 * The event buffers of all writers, within a bounded number of bytes. A writer adds a buffer when
 * it has filled one, and the ring drops the oldest completed buffer for it.
 *
 * <p>Readers skip events older than the newest dropped one, so there are no gaps. A dropped buffer
 * with recent events would hide many others. Buffers being written are therefore dropped last, the
 * least recently written first. The more writers there are, the smaller are their buffers, so that
 * buffers being written take at most half of the room.
 */
public final class HistoryRing {
  private static final int LEAST_BUFFER_BYTES = 1 << 9;
  private static final int MOST_BUFFER_BYTES = 1 << 16;

  /** The room divided by the buffers of all writers. */
  private static final int BUFFERS = 2;

  private static final int FEW_WRITERS = 8;

  private static final int MOST_FRAMES = 16;

  /** Most names of streams, because a program may name a stream for each request. */
  private static final int MOST_STREAM_NAMES = 4096;

  /** The number of readings without a repeated time after which a clock counts as fine. */
  private static final int LOOKS = 100;

  final boolean stacks;
  final ConstantPool<String> tags = new ConstantPool<>("", TagUsage.OTHERS);
  final ConstantPool<List<StackTraceElement>> calls = new ConstantPool<>(List.of(), List.of());

  private final Map<Long, String> streamNames = new ConcurrentHashMap<>();
  private final long mostBytes;
  private final LongSupplier clock;
  private final long beginNanos;
  final Instant begin = Instant.now();

  /** True if the clock may repeat a time; times are made unique then. */
  private final boolean ordering;

  private final AtomicLong latest = new AtomicLong(-1);

  // Guarded by the monitor, under which no other lock is acquired.
  private final Set<EventBuffer> ended = new LinkedHashSet<>();
  private final Set<EventBuffer> open = new LinkedHashSet<>();
  private long bytes;
  private long dropped;
  private long droppedUpTo = -1;

  /**
   * Creates an empty ring.
   *
   * @param ordering whether the clock may repeat a time; this is also detected
   */
  public HistoryRing(long mostBytes, boolean stacks, LongSupplier clock, boolean ordering) {
    this.mostBytes = mostBytes;
    this.stacks = stacks;
    this.clock = clock;
    this.ordering = ordering || isCoarse(clock);
    this.beginNanos = clock.getAsLong();
  }

  /**
   * Returns whether a clock repeats times, which leaves the order of events within a tick unknown.
   */
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
   * Creates a writer for a thread cache, guarded by its lock.
   *
   * @param pool private pool of the cache; 0 for none
   */
  public HistoryWriter newWriter(Stream stream, long pool) {
    name(stream);
    return new HistoryWriter(this, pool);
  }

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

  synchronized long bytes() {
    return bytes;
  }

  int stackNumber() {
    return stacks ? calls.numberOf(CallerStack.take(MOST_FRAMES)) : 0;
  }

  /** Returns the most bytes of a writer's next buffer: a power of two. */
  synchronized int mostBufferBytes() {
    long share = mostBytes / BUFFERS / Math.max(FEW_WRITERS, open.size() + 1);
    long even = Long.highestOneBit(Math.max(1, share));
    return (int) Math.max(LEAST_BUFFER_BYTES, Math.min(MOST_BUFFER_BYTES, even));
  }

  /** Adds a buffer, and drops others until there is room. */
  synchronized void add(EventBuffer buffer) {
    open.add(buffer);
    bytes += buffer.bytes;
    while (bytes > mostBytes) {
      boolean isAnyEnded = !ended.isEmpty();
      EventBuffer victim = isAnyEnded ? ended.iterator().next() : leastRecentlyWritten(buffer);
      if (victim == null) {
        return;
      }
      drop(isAnyEnded ? ended : open, victim);
    }
  }

  /** Returns the least recently written open buffer other than a new one; null if there is none. */
  private @Nullable EventBuffer leastRecentlyWritten(EventBuffer added) {
    EventBuffer least = null;
    for (EventBuffer each : open) {
      if (each != added && (least == null || each.last() < least.last())) {
        least = each;
      }
    }
    return least;
  }

  private void drop(Set<EventBuffer> list, EventBuffer buffer) {
    int events = buffer.drop();
    long last = buffer.last();
    list.remove(buffer);
    bytes -= buffer.bytes;
    dropped += events;
    // A buffer without published events drops none.
    droppedUpTo = events == 0 || last <= droppedUpTo ? droppedUpTo : last;
  }

  /** Marks a buffer as completed by its writer. */
  synchronized void end(EventBuffer buffer) {
    if (!buffer.isDropped()) {
      ended.add(buffer);
      open.remove(buffer);
    }
  }

  public AllocatorHistory read() {
    // Read before any buffer: events published later, and all that depends on them, have this time
    // or a later one and are left out together.
    long until = timeAfterAll();
    List<EventBuffer.View> views = new ArrayList<>();
    long gone;
    long after;
    synchronized (this) {
      view(ended, views);
      view(open, views);
      gone = dropped;
      after = droppedUpTo;
    }
    return new HistoryView(this, views, gone, after, until);
  }

  /** Returns a time after every event so far. */
  private long timeAfterAll() {
    long before = now();
    long now;
    do {
      now = now();
    } while (now == before);
    return now;
  }

  private static void view(Set<EventBuffer> buffers, List<EventBuffer.View> views) {
    for (EventBuffer each : buffers) {
      EventBuffer.View view = each.view();
      if (view != null) {
        views.add(view);
      }
    }
  }
}
