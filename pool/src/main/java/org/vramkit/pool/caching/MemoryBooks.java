package org.vramkit.pool.caching;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Tally;

/**
 * What was taken from the driver, by all pools of an allocator; {@link PoolBooks} are the part of a
 * private one. The figures of a {@link Level} change under the growth lock and are read without it,
 * each published whole; the counts are adders.
 */
class MemoryBooks {
  /** One quantity; immutable, so that readers never see half a change. */
  private record Level(long current, long peak, long added) {
    static final Level ZERO = new Level(0, 0, 0);

    Level plus(long amount) {
      return new Level(current + amount, Math.max(peak, current + amount), added + amount);
    }

    Level minus(long amount) {
      return new Level(current - amount, peak, added);
    }

    Level withoutPeak() {
      return new Level(current, current, added);
    }

    Tally toTally() {
      return new Tally(current, peak, added, added - current);
    }
  }

  /**
   * Makes one thread at a time take, move or give back memory, whichever pool it is for: so limits
   * and peaks over all pools are exact.
   */
  final ReentrantLock growth;

  private volatile long limit;
  private volatile Level reserved = Level.ZERO;
  private volatile Level segments = Level.ZERO;

  final PoolCounter driverAllocations;
  final PoolCounter driverFrees;
  final PoolCounter decayedBytes;
  final PoolCounter pagesMoved;
  final PoolCounter synchronizations;
  final PoolCounter steals;
  final PoolCounter retries;
  final PoolCounter outOfMemories;
  final PoolCounter rejections;

  MemoryBooks(long limit) {
    this(limit, null);
  }

  MemoryBooks(long limit, @Nullable MemoryBooks total) {
    this.limit = limit;
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
  }

  private static PoolCounter counter(
      @Nullable MemoryBooks total, Function<MemoryBooks, PoolCounter> which) {
    return new PoolCounter(total == null ? null : which.apply(total));
  }

  /** Most that may be reserved, to be compared with {@link #reserved}. */
  long limit() {
    return limit;
  }

  final void limit(long bytes) {
    limit = bytes;
  }

  /** Bytes that all pools have reserved. */
  long reserved() {
    return reserved.current();
  }

  /** Bytes that are reserved by those who enter them here. */
  final long held() {
    return reserved.current();
  }

  long reservedPeak() {
    return reserved.peak();
  }

  /** Whether so much more may be taken. */
  final boolean allows(long bytes) {
    return bytes <= limit() - reserved();
  }

  /** Memory was taken. Under the growth lock. */
  final void taken(long bytes, long count) {
    add(bytes, count);
    driverAllocations.add(count);
  }

  /** Memory was given back. Under the growth lock. */
  final void given(long bytes, long count) {
    remove(bytes, count);
    driverFrees.add(count);
  }

  void add(long bytes, long count) {
    reserved = reserved.plus(bytes);
    segments = segments.plus(count);
  }

  void remove(long bytes, long count) {
    reserved = reserved.minus(bytes);
    segments = segments.minus(count);
  }

  /** Makes peaks the current values. Under the growth lock. */
  final void resetPeaks() {
    reserved = reserved.withoutPeak();
    segments = segments.withoutPeak();
  }

  final Tally reservedTally() {
    return reserved.toTally();
  }

  final Tally segmentsTally() {
    return segments.toTally();
  }
}
