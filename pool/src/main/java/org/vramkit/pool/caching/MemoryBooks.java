package org.vramkit.pool.caching;

import java.util.concurrent.atomic.LongAdder;
import org.vramkit.api.allocator.Tally;

/**
 * What was taken from the driver. The figures of a {@link Level} change under the heap's growth
 * lock and are read without it, each published whole; the counts are adders.
 */
final class MemoryBooks {
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

  private volatile long limit;
  private volatile Level reserved = Level.ZERO;
  private volatile Level segments = Level.ZERO;

  final LongAdder driverAllocations = new LongAdder();
  final LongAdder driverFrees = new LongAdder();
  final LongAdder pagesMoved = new LongAdder();
  final LongAdder synchronizations = new LongAdder();
  final LongAdder steals = new LongAdder();
  final LongAdder retries = new LongAdder();
  final LongAdder outOfMemories = new LongAdder();
  final LongAdder rejections = new LongAdder();

  MemoryBooks(long limit) {
    this.limit = limit;
  }

  long limit() {
    return limit;
  }

  void limit(long bytes) {
    limit = bytes;
  }

  long reserved() {
    return reserved.current();
  }

  long reservedPeak() {
    return reserved.peak();
  }

  /** Whether so much more may be taken. */
  boolean allows(long bytes) {
    return bytes <= limit - reserved.current();
  }

  /** Memory was taken. Under the growth lock. */
  void taken(long bytes, long count) {
    reserved = reserved.plus(bytes);
    segments = segments.plus(count);
    driverAllocations.add(count);
  }

  /** Memory was given back. Under the growth lock. */
  void given(long bytes, long count) {
    reserved = reserved.minus(bytes);
    segments = segments.minus(count);
    driverFrees.add(count);
  }

  /** Makes peaks the current values. Under the growth lock. */
  void resetPeaks() {
    reserved = reserved.withoutPeak();
    segments = segments.withoutPeak();
  }

  Tally reservedTally() {
    return reserved.toTally();
  }

  Tally segmentsTally() {
    return segments.toTally();
  }
}
