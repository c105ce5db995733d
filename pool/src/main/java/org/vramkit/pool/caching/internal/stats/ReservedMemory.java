package org.vramkit.pool.caching.internal.stats;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Tally;
import org.vramkit.pool.caching.internal.event.PoolObserver;

/**
 * What was taken from the driver, by all pools of an allocator; {@link PoolReservedMemory} are the
 * part of a private one. The figures of a {@link Level} change under the growth lock and are read
 * without it; the counts are adders.
 */
public class ReservedMemory {
  /**
   * One quantity. Changing it needs no memory of the JVM, because by then the driver has given or
   * taken already. A reader tries again where it meets a change, which the version tells: odd while
   * one is under way.
   */
  private static final class Level {
    private volatile long version;
    private volatile long current;
    private volatile long peak;
    private volatile long added;

    /** What it was when {@code added} began to count. */
    private volatile long origin;

    long current() {
      return current;
    }

    long peak() {
      return peak;
    }

    /** By one thread at a time. */
    void add(long amount) {
      long now = current + amount;
      change(now, Math.max(peak, now), added + Math.max(0, amount), origin);
    }

    void resetPeak() {
      change(current, current, added, origin);
    }

    void resetHistory() {
      change(current, current, 0, current);
    }

    private void change(long newCurrent, long newPeak, long newAdded, long newOrigin) {
      long before = version;
      version = before + 1;
      current = newCurrent;
      peak = newPeak;
      added = newAdded;
      origin = newOrigin;
      version = before + 2;
    }

    Tally toTally() {
      while (true) {
        long before = version;
        long now = current;
        Tally seen = new Tally(now, peak, added, added - now + origin);
        if (before % 2 == 0 && before == version) {
          return seen;
        }
        Thread.onSpinWait();
      }
    }
  }

  /** Counts times or bytes in one pool, and so in all pools of its allocator together. */
  public static final class Counter {
    private final LongAdder adder = new LongAdder();
    private final @Nullable Counter total;
    private volatile long before;

    /** Counts for itself, and in the total where there is one. */
    Counter(@Nullable Counter total) {
      this.total = total;
    }

    public void increment() {
      add(1);
    }

    public void add(long more) {
      adder.add(more);
      if (total != null) {
        total.add(more);
      }
    }

    /** Counts from 0 again; the total is another counter's. */
    void reset() {
      before = adder.sum();
    }

    public long sum() {
      return adder.sum() - before;
    }
  }

  /**
   * Makes one thread at a time take, move or give back memory, whichever pool it is for: so limits
   * and peaks over all pools are exact.
   */
  public final ReentrantLock growth;

  private volatile long limit;
  private final Level reserved = new Level();
  private final Level segments = new Level();

  public final Counter driverAllocations;
  public final Counter driverFrees;
  public final Counter decayedBytes;
  public final Counter pagesMoved;
  public final Counter synchronizations;
  public final Counter steals;
  public final Counter retries;
  public final Counter outOfMemories;
  public final Counter rejections;
  public final Counter leaks;
  public final Counter searches;

  /** Who hears of what is done with memory. */
  public final PoolObserver observer;

  public ReservedMemory(long limit) {
    this(limit, null, PoolObserver.NONE);
  }

  /** That of all pools. */
  public ReservedMemory(long limit, PoolObserver observer) {
    this(limit, null, observer);
  }

  ReservedMemory(long limit, @Nullable ReservedMemory total, PoolObserver observer) {
    this.limit = limit;
    this.observer = observer;
    growth = total == null ? new ReentrantLock() : total.growth;
    driverAllocations = counter(total, books -> books.driverAllocations);
    driverFrees = counter(total, books -> books.driverFrees);
    decayedBytes = counter(total, books -> books.decayedBytes);
    pagesMoved = counter(total, books -> books.pagesMoved);
    synchronizations = counter(total, books -> books.synchronizations);
    steals = counter(total, books -> books.steals);
    retries = counter(total, books -> books.retries);
    outOfMemories = counter(total, books -> books.outOfMemories);
    rejections = counter(total, books -> books.rejections);
    leaks = counter(total, books -> books.leaks);
    searches = counter(total, books -> books.searches);
  }

  private static Counter counter(
      @Nullable ReservedMemory total, Function<ReservedMemory, Counter> which) {
    return new Counter(total == null ? null : which.apply(total));
  }

  /** Most that may be reserved, to be compared with {@link #reserved}. */
  public long limit() {
    return limit;
  }

  /** Most that may be reserved by those who enter it here, to be compared with {@link #held}. */
  public final long ownLimit() {
    return limit;
  }

  /** Most that all pools may have reserved together. */
  public long limitOfAll() {
    return limit;
  }

  public final void limit(long bytes) {
    limit = bytes;
  }

  /** Bytes that all pools have reserved. */
  public long reserved() {
    return reserved.current();
  }

  /** Bytes that are reserved by those who enter them here. */
  public final long held() {
    return reserved.current();
  }

  public long reservedPeak() {
    return reserved.peak();
  }

  /** Whether so much more may be taken. */
  public final boolean allows(long bytes) {
    return bytes <= limit() - reserved();
  }

  /** Memory was taken. Under the growth lock. */
  public final void taken(long bytes, long count) {
    add(bytes, count);
    driverAllocations.add(count);
  }

  /** Memory was given back. Under the growth lock. */
  public final void given(long bytes, long count) {
    remove(bytes, count);
    driverFrees.add(count);
  }

  void add(long bytes, long count) {
    reserved.add(bytes);
    segments.add(count);
  }

  void remove(long bytes, long count) {
    reserved.add(-bytes);
    segments.add(-count);
  }

  /** Makes peaks the current values. Under the growth lock. */
  public final void resetPeaks() {
    reserved.resetPeak();
    segments.resetPeak();
  }

  /** The same, and forgets what was counted. Under the growth lock. */
  public final void resetHistory() {
    reserved.resetHistory();
    segments.resetHistory();
    List.of(
            driverAllocations,
            driverFrees,
            decayedBytes,
            pagesMoved,
            synchronizations,
            steals,
            retries,
            outOfMemories,
            rejections,
            leaks,
            searches)
        .forEach(Counter::reset);
  }

  public final Tally reservedTally() {
    return reserved.toTally();
  }

  public final Tally segmentsTally() {
    return segments.toTally();
  }
}
