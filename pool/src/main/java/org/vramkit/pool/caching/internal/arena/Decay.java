package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.vramkit.api.allocator.Figure;
import org.vramkit.pool.caching.internal.cache.CacheTable;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.PendingBlocks;
import org.vramkit.pool.support.PoolHealth;
import org.vramkit.pool.support.PoolLock;

/**
 * Returns memory to the driver that was not needed during a window of time. The window is divided
 * into twenty intervals. Thread-safe.
 *
 * <p>After the end of an interval, unused caches are emptied, streams are queried, and free chunks
 * or segments are returned as far as {@link Backlog} allows. Memory in a cache, memory that work of
 * a stream still uses, and chunks that are only partly free count as needed.
 *
 * <p>There is no background thread: searches and explicit calls check the time. After several
 * intervals without a check, an explicit call returns memory at once, but the first search only
 * ends the intervals, and a later one returns memory. Otherwise a program that resumes after a
 * pause would lose the memory that it is about to need.
 *
 * <p>The lock guards all state; only the start of the interval is read without the lock. It is
 * acquired before all other locks. A search only tries it.
 */
public final class Decay {
  public static final int INTERVALS = 20;

  private final PoolLock lock;
  private final Backlog history = new Backlog(INTERVALS);
  private final LongSupplier clock;
  private final long intervalNanos;
  private final Heap heap;
  private final CacheTable streams;
  private final PendingBlocks pending;
  private final LongSupplier endedPools;
  private volatile long intervalBegan;

  /** When a block was last closed that did not stay in a cache. */
  private volatile long lastClose;

  private boolean lookedAfterSilence;

  /**
   * Creates a decay, whose first interval begins now.
   *
   * @param windowNanos length of the window; more than 0
   * @param clock a clock of nanoseconds that never goes back
   * @param endedPools drains ended private pools, and returns the bytes given back
   */
  Decay(
      PoolHealth health,
      long windowNanos,
      LongSupplier clock,
      Heap heap,
      CacheTable streams,
      PendingBlocks pending,
      LongSupplier endedPools) {
    this.intervalNanos = Math.max(1, windowNanos / INTERVALS);
    this.lock = new PoolLock(health);
    this.clock = clock;
    this.heap = heap;
    this.streams = streams;
    this.pending = pending;
    this.endedPools = endedPools;
    this.intervalBegan = clock.getAsLong();
    this.lastClose = intervalBegan;
  }

  /** Notes that a block was closed and did not stay in a cache. */
  void noteClose() {
    lastClose = clock.getAsLong();
  }

  /**
   * Returns idle memory if an interval has ended. Called after a search by threads that hold no
   * lock. Never waits for the device, nor for another thread that is decaying.
   */
  void tryRun() {
    if (endedIntervals() == 0 || !lock.tryLock()) {
      return;
    }
    try {
      long ended = endedIntervals();
      if (ended > 1 && !lookedAfterSilence) {
        lookedAfterSilence = true;
        endIntervals(ended, 0);
      } else if (ended > 0) {
        giveBack(ended, 0, openStreams());
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns idle memory if an interval has ended. After several intervals without a check, free
   * memory is as old as the last close. Waits for a thread that is decaying, and for the device if
   * a closed stream has unsettled blocks.
   *
   * @return bytes given back
   */
  long run() {
    lock.lock();
    try {
      long ended = endedIntervals();
      return ended == 0 ? 0 : giveBack(ended, silentOf(ended), streams.all());
    } finally {
      lock.unlock();
    }
  }

  private long endedIntervals() {
    // A user's clock may go back nevertheless; no interval has ended then.
    return Math.max(0, (clock.getAsLong() - intervalBegan) / intervalNanos);
  }

  /**
   * Returns how many of the ended intervals began after the last close. Every search ends
   * intervals, so memory was taken in the first of them at the latest.
   */
  private long silentOf(long ended) {
    long sinceClose = intervalBegan + ended * intervalNanos - lastClose;
    return Math.max(0, Math.min(ended - 1, sinceClose / intervalNanos));
  }

  private void endIntervals(long ended, long silent) {
    long began = intervalBegan;
    intervalBegan = began + ended * intervalNanos;
    history.ended(ended - silent, heap.takeNeed());
    history.ended(silent, heap.takeNeed());
  }

  /**
   * Returns the caches of open streams. The progress of a closed stream is known only after a wait
   * for the whole device.
   */
  private List<StreamCache> openStreams() {
    List<StreamCache> open = new ArrayList<>(streams.all());
    open.removeIf(each -> each.stream.isClosed());
    return open;
  }

  /**
   * Returns idle memory.
   *
   * @param ended intervals that have ended
   * @param silent the last of them, in which no block was taken or closed
   */
  private long giveBack(long ended, long silent, List<StreamCache> asked) {
    lookedAfterSilence = false;
    heap.free(pending.poll());
    if (silent >= INTERVALS) {
      streams.flush(heap);
    } else {
      streams.all().forEach(each -> each.flushIdle(heap));
    }
    heap.settle(asked);
    endIntervals(ended, silent);
    long given = heap.decayTo(history.kept());
    long ofEndedPools = endedPools.getAsLong();
    heap.stats.add(Figure.DECAYED, ofEndedPools);
    return given + ofEndedPools;
  }

  /**
   * The memory needed in each of the last intervals, from which the memory to keep is computed.
   *
   * <p>The kept share of memory falls from all to nothing over the window since it was last needed,
   * slowly at both ends: by the smoothstep 6x^5 - 15x^4 + 10x^3, as in jemalloc's decay of dirty
   * pages. jemalloc counts the pages freed in an interval. This class counts the peak of the needed
   * bytes, so a program that fills and empties the same memory in every iteration keeps it.
   *
   * <p>Not thread-safe.
   */
  static final class Backlog {
    /** The bytes needed in each past interval, the latest first. */
    private final long[] needed;

    Backlog(int intervals) {
      needed = new long[intervals];
    }

    /** Adds {@code intervals} intervals with a peak of {@code mostNeeded} bytes each. */
    void ended(long intervals, long mostNeeded) {
      int count = (int) Math.min(intervals, needed.length);
      System.arraycopy(needed, 0, needed, count, needed.length - count);
      Arrays.fill(needed, 0, count, mostNeeded);
    }

    long kept() {
      double kept = 0;
      long younger = 0;
      for (int age = 0; age < needed.length; age++) {
        long here = Math.max(younger, needed[age]);
        kept += share((double) age / needed.length) * (here - younger);
        younger = here;
      }
      return (long) Math.ceil(kept);
    }

    private static double share(double age) {
      return 1 - age * age * age * (age * (6 * age - 15) + 10);
    }
  }
}
