package org.vramkit.pool.caching.internal.stats;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Stat;
import org.vramkit.pool.caching.internal.event.PoolObserver;

/**
 * The memory that an allocator, or one of its private pools, has taken from the driver, with the
 * limits, and counts of what was done for it. What a pool enters counts for the allocator too.
 *
 * <p>The heap compares {@link #reserved} with {@link #limit} and {@link #reservedPeak}, which are
 * those of all pools together also in the books of one: so all pools together stay below the limit
 * and the peak. A limit of a pool's own comes on top.
 */
public final class ReservedMemory {
  /** One quantity. Written under the growth lock; needs no memory of the JVM. */
  private static final class Level {
    private long current;
    private long peak;
    private long added;

    /** What there was when {@code added} began to count. */
    private long origin;

    synchronized void add(long amount) {
      current += amount;
      peak = Math.max(peak, current);
      added += Math.max(0, amount);
    }

    synchronized long current() {
      return current;
    }

    synchronized void resetPeak() {
      peak = current;
    }

    synchronized void reset() {
      peak = current;
      added = 0;
      origin = current;
    }

    synchronized Stat read() {
      return new Stat(current, peak, added, added - current + origin);
    }
  }

  /** Counts times or bytes in one pool, and so in its allocator. */
  public static final class Counter {
    private final LongAdder adder = new LongAdder();
    private final @Nullable Counter total;
    private volatile long before;

    private Counter(@Nullable Counter total) {
      this.total = total;
    }

    /** Counts one more. */
    public void increment() {
      add(1);
    }

    /** Counts some more. */
    public void add(long more) {
      adder.add(more);
      if (total != null) {
        total.add(more);
      }
    }

    private void reset() {
      before = adder.sum();
    }

    /** How many were counted since the last reset. */
    public long sum() {
      return adder.sum() - before;
    }
  }

  /**
   * Makes one thread at a time take, move or give back memory, whichever pool it is for: so limits
   * and peaks over all pools are exact.
   */
  public final ReentrantLock growth;

  /** Hears of what is done with memory. */
  public final PoolObserver observer;

  private final @Nullable ReservedMemory total;
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
  public final Counter leaks;
  public final Counter searches;

  /** The memory of an allocator. */
  public ReservedMemory(long limit, PoolObserver observer) {
    this(limit, observer, null);
  }

  /** The memory of a private pool of some number, with a limit of its own. */
  public ReservedMemory(long limit, ReservedMemory total, long pool) {
    this(limit, total.observer.ofPool(pool), total);
  }

  private ReservedMemory(long limit, PoolObserver observer, @Nullable ReservedMemory total) {
    this.limit = limit;
    this.observer = observer;
    this.total = total;
    growth = total == null ? new ReentrantLock() : total.growth;
    driverAllocations = new Counter(total == null ? null : total.driverAllocations);
    driverFrees = new Counter(total == null ? null : total.driverFrees);
    decayedBytes = new Counter(total == null ? null : total.decayedBytes);
    pagesMoved = new Counter(total == null ? null : total.pagesMoved);
    synchronizations = new Counter(total == null ? null : total.synchronizations);
    steals = new Counter(total == null ? null : total.steals);
    retries = new Counter(total == null ? null : total.retries);
    outOfMemories = new Counter(total == null ? null : total.outOfMemories);
    leaks = new Counter(total == null ? null : total.leaks);
    searches = new Counter(total == null ? null : total.searches);
  }

  private ReservedMemory all() {
    return total == null ? this : total;
  }

  /** The most that may be reserved, to be compared with {@link #reserved}. */
  public long limit() {
    if (total == null) {
      return limit;
    }
    long others = total.reserved() - held();
    long own = limit > Long.MAX_VALUE - others ? Long.MAX_VALUE : limit + others;
    return Math.min(own, total.limit);
  }

  /** The most that may be reserved here, to be compared with {@link #held}. */
  public long ownLimit() {
    return limit;
  }

  /** The most that all pools may have reserved together. */
  public long limitOfAll() {
    return all().limit;
  }

  public void limit(long bytes) {
    limit = bytes;
  }

  /** Whether the limit of a private pool forbids some more bytes. */
  public boolean forbids(long bytes) {
    return total != null && bytes > limit - held();
  }

  /** Bytes that all pools have reserved. */
  public long reserved() {
    return all().held();
  }

  /** Bytes that are reserved here. */
  public long held() {
    return reserved.current();
  }

  /** The most bytes that all pools have reserved at once. */
  public long reservedPeak() {
    return all().reserved.read().peak();
  }

  /** Whether some more bytes may be taken. */
  public boolean allows(long bytes) {
    return bytes <= limit() - reserved();
  }

  /** Counts memory that was taken. Under the growth lock. */
  public void taken(long bytes, long count) {
    add(bytes, count);
    driverAllocations.add(count);
  }

  /** Counts memory that was given back. Under the growth lock. */
  public void given(long bytes, long count) {
    add(-bytes, -count);
    driverFrees.add(count);
  }

  private void add(long bytes, long count) {
    reserved.add(bytes);
    segments.add(count);
    if (total != null) {
      total.add(bytes, count);
    }
  }

  /** Makes the peaks what there is now. */
  public void resetPeaks() {
    reserved.resetPeak();
    segments.resetPeak();
  }

  /** Makes the peaks what there is now, and all counts 0. */
  public void resetHistory() {
    reserved.reset();
    segments.reset();
    List.of(
            driverAllocations,
            driverFrees,
            decayedBytes,
            pagesMoved,
            synchronizations,
            steals,
            retries,
            outOfMemories,
            leaks,
            searches)
        .forEach(Counter::reset);
  }

  public Stat reservedTally() {
    return reserved.read();
  }

  public Stat segmentsTally() {
    return segments.read();
  }
}
