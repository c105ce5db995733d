package org.vramkit.pool.caching.internal.history;

import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.HistoryEvent.Action;
import org.vramkit.pool.support.CallerStack;
import org.vramkit.pool.support.Streams;

/**
 * The latest events of all pools, as records of a fixed size. A writer claims the next record by
 * one atomic addition, so the records are in the order of the claims.
 *
 * <p>The mark of a record tells how often the ring came round to it, and whether it is being
 * written. A writer waits for the writer of the round before, and a reader for the writer of a
 * record, since later events may depend on it. Both give up after a tenth of a second, because an
 * error of the JVM may have ended that writer: the event is then missing. A reader skips an
 * overwritten record with all before it.
 */
public final class HistoryRing {
  /** The words of a record: time, address with action, size, stream, origin, and mark with pool. */
  static final int WORDS = 6;

  private static final int MARK = WORDS - 1;
  private static final int MARK_SHIFT = 32;
  private static final long POOL = (1L << MARK_SHIFT) - 1;
  private static final int NUMBER_BITS = 16;
  private static final int NUMBER = (1 << NUMBER_BITS) - 1;

  /**
   * The longest array of longs that HotSpot creates has some elements less than the largest int.
   */
  private static final int MOST_RECORDS = (Integer.MAX_VALUE - 8) / WORDS;

  private static final int MOST_FRAMES = 16;
  private static final int SPINS = 100;

  /** A sleep of the shortest time takes some 50 us on Linux. */
  private static final int MOST_LOOKS = 2000 * SPINS;

  /** Most names of streams, because a program may name a stream for each request. */
  private static final int MOST_STREAM_NAMES = 4096;

  final Instant begin = Instant.now();

  private final ConstantPool<String> tags = new ConstantPool<>("", TagUsage.OTHERS);
  private final ConstantPool<List<StackTraceElement>> calls =
      new ConstantPool<>(List.of(), List.of());
  private final Map<Long, String> streamNames = new ConcurrentHashMap<>();
  private final boolean stacks;
  private final LongSupplier clock;
  private final long beginNanos;
  private final int records;
  private final AtomicLongArray words;
  private final AtomicLong claimed = new AtomicLong();

  /** The origins of live allocations by address, by the records that were read for stacks. */
  private final Map<Long, Long> origins = new HashMap<>();

  /** The number of the first record that was not read for stacks yet. */
  private long readUntil;

  /**
   * Creates an empty ring.
   *
   * @param bytes room for records; names and stacks take more
   * @param clock supplies nanoseconds; it may go back
   * @throws InvalidArgumentException if the Java heap has no room for the records
   */
  public HistoryRing(long bytes, boolean stacks, LongSupplier clock) {
    this.records = (int) Math.min(bytes / (WORDS * Long.BYTES), MOST_RECORDS);
    this.words = wordsOf(records);
    this.stacks = stacks;
    this.clock = clock;
    this.beginNanos = clock.getAsLong();
  }

  private static AtomicLongArray wordsOf(int records) {
    try {
      return new AtomicLongArray(records * WORDS);
    } catch (OutOfMemoryError e) {
      throw new InvalidArgumentException(
          "the Java heap, of at most "
              + ByteSize.format(Runtime.getRuntime().maxMemory())
              + ", has no room for a history of "
              + ByteSize.format((long) records * WORDS * Long.BYTES)
              + "; ask for a smaller one, or raise -Xmx");
    }
  }

  /** Returns whether events have the stack of their caller. */
  public boolean keepsStacks() {
    return stacks;
  }

  /** Keeps the name of a stream for readers, if it has one. */
  void name(Stream stream) {
    String name = Streams.givenNameOf(stream);
    if (!name.isEmpty() && streamNames.size() < MOST_STREAM_NAMES) {
      streamNames.put(stream.getHandle(), name);
    }
  }

  String nameOfStream(long handle) {
    return streamNames.getOrDefault(handle, "");
  }

  /** Returns the nanoseconds since the ring began. */
  long now() {
    return clock.getAsLong() - beginNanos;
  }

  // ---- writing ----

  /** Returns this thread, its stack if stacks are kept, and the tag, as the origin of an event. */
  long originOf(String tag) {
    int stack = stacks ? calls.numberOf(CallerStack.take(MOST_FRAMES)) : 0;
    int number = tag.isEmpty() ? 0 : tags.numberOf(tag);
    return (Thread.currentThread().getId() << (2 * NUMBER_BITS))
        | ((long) stack << NUMBER_BITS)
        | number;
  }

  /** Writes an event. Blocks only while the record is being written for an earlier round. */
  void write(
      long nanos, Action action, long address, long size, long stream, long origin, long pool) {
    long number = claimed.getAndIncrement();
    int at = placeOf(number);
    long written = markOf(number);
    long before = awaitMark(at, written - 2);
    if (isOpen(before, written)
        && words.compareAndSet(at + MARK, before, (written - 1) << MARK_SHIFT)) {
      VarHandle.storeStoreFence();
      words.setPlain(at, nanos);
      words.setPlain(at + 1, HistoryView.place(address, action));
      words.setPlain(at + 2, size);
      words.setPlain(at + 3, stream);
      words.setPlain(at + 4, origin);
      words.setRelease(at + MARK, (written << MARK_SHIFT) | (pool & POOL));
    }
  }

  /** Returns whether a record is neither being written nor of a later round. */
  private static boolean isOpen(long mark, long written) {
    long round = mark >>> MARK_SHIFT;
    return round < written && round % 2 == 0;
  }

  private int placeOf(long number) {
    return (int) (number % records) * WORDS;
  }

  /** Returns the mark of a record that is written; one less while that is done. */
  private long markOf(long number) {
    return 2 * (number / records + 1);
  }

  // ---- reading ----

  /** Copies the latest records. Waits for those that are being written. */
  public AllocatorHistory read() {
    long until = claimed.get();
    long from = Math.max(0, until - records);
    long[] copy = new long[(int) (until - from) * WORDS];
    int kept = 0;
    for (long number = from; number < until; number++) {
      if (isCopied(number, copy, kept * WORDS)) {
        kept++;
      } else if (isOverwritten(number)) {
        kept = 0;
      }
    }
    return new HistoryView(this, copy, kept, until - kept);
  }

  private boolean isOverwritten(long number) {
    return words.getAcquire(placeOf(number) + MARK) >>> MARK_SHIFT > markOf(number);
  }

  /**
   * Returns the stacks of the allocations that are live at these addresses, the nearest frame
   * first, as far as the ring had them at this call or an earlier one. Reads only what was written
   * since the last call, because a program may run out of memory again and again. Copies one record
   * at a time, since an out of memory may find the Java heap full too.
   */
  public synchronized Map<Long, List<StackTraceElement>> stacksOf(Set<Long> addresses) {
    Map<Long, List<StackTraceElement>> found = new HashMap<>();
    if (stacks) {
      readNew();
      for (Long each : addresses) {
        Long origin = origins.get(each);
        if (origin != null) {
          found.put(each, stackOf(origin));
        }
      }
    }
    return found;
  }

  private void readNew() {
    long[] record = new long[WORDS];
    for (long until = claimed.get(); readUntil < until; readUntil++) {
      long oldest = Math.max(0, until - records);
      if (readUntil < oldest) {
        // The overwritten records may have been closes of all known allocations.
        origins.clear();
        readUntil = oldest;
      }
      if (isCopied(readUntil, record, 0)) {
        noteOrigin(record);
      } else if (isOverwritten(readUntil)) {
        origins.clear();
      }
    }
  }

  private void noteOrigin(long[] record) {
    long address = HistoryView.addressOf(record[1]);
    switch (HistoryView.actionOf(record[1])) {
      case ALLOCATE -> origins.put(address, record[4]);
      case FREE_REQUESTED -> origins.remove(address);
      default -> {
        // Neither begins nor ends an allocation.
      }
    }
  }

  /**
   * Copies a record once it is written; returns false if a writer overwrote it meanwhile, or never
   * wrote it.
   */
  private boolean isCopied(long number, long[] target, int to) {
    int at = placeOf(number);
    long written = markOf(number);
    long mark = awaitMark(at, written);
    for (int i = 0; i < MARK; i++) {
      target[to + i] = words.getPlain(at + i);
    }
    target[to + MARK] = mark & POOL;
    VarHandle.loadLoadFence();
    return mark >>> MARK_SHIFT == written && words.getOpaque(at + MARK) == mark;
  }

  /**
   * Waits until the mark of a place is that of a round or a later one; returns it as it is then.
   */
  private long awaitMark(int at, long round) {
    long mark = words.getAcquire(at + MARK);
    for (int looks = 1; mark >>> MARK_SHIFT < round && looks < MOST_LOOKS; looks++) {
      pause(looks);
      mark = words.getAcquire(at + MARK);
    }
    return mark;
  }

  /** Spins, and sleeps between spins, because the other thread may need this processor. */
  private static void pause(int looks) {
    if (looks % SPINS == 0) {
      LockSupport.parkNanos(1);
    } else {
      Thread.onSpinWait();
    }
  }

  String tagOf(long origin) {
    return tags.nameOf((int) origin & NUMBER);
  }

  List<StackTraceElement> stackOf(long origin) {
    return calls.nameOf((int) (origin >>> NUMBER_BITS) & NUMBER);
  }

  static long threadOf(long origin) {
    return origin >>> (2 * NUMBER_BITS);
  }
}
