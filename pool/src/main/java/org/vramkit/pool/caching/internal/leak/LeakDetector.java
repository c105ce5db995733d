package org.vramkit.pool.caching.internal.leak;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.pool.caching.LeakReport;
import org.vramkit.pool.caching.LeakReport.Kind;
import org.vramkit.pool.caching.internal.cache.CachingAllocation;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.ThreadCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.Option;
import org.vramkit.pool.support.CallerStack;
import org.vramkit.pool.support.Streams;

/**
 * Finds handles of all pools of an allocator that were dropped without a close. The garbage
 * collector enqueues their trackers. The next allocation that is tracked, or searches the heap,
 * polls the queue and reports the leaks.
 *
 * <p>The memory of a leak is never freed, because the program may have kept the address, and queued
 * work may use it.
 *
 * <p>Has no thread and adds no lock to a hit. Thread caches choose the allocations to track by
 * their own counts, with {@link #nextWatched}.
 */
public final class LeakDetector {
  /** Average number of allocations of which one is tracked by sampling. */
  static final int SAMPLED_ONE_IN = 128;

  // The distance between samples is pseudo-random, from 1 to 256 allocations.
  private static final long SPREAD = 0x9E3779B97F4A7C15L;
  private static final int SPREAD_SHIFT = Long.SIZE - 8;

  private static final int MOST_FRAMES = 16;

  private final ReferenceQueue<CachingAllocation.Watched> queue = new ReferenceQueue<>();
  private final LeakDetection level;

  /** True if stacks and times are taken, which is the main cost. */
  private final boolean exact;

  private final LongSupplier clock;

  /**
   * Trackers by age, to find allocations held too long. No other lock is acquired under its
   * monitor.
   */
  private final Set<LeakTracker> held = new LinkedHashSet<>();

  private final long mostNanos;

  /** True if allocations held too long are reported. */
  private final boolean timed;

  private final LeakReporter reporter;

  public LeakDetector(CachingAllocatorOptions options, LeakReporter reporter) {
    this.level = options.get(Option.LEAK_DETECTION);
    this.exact = level == LeakDetection.STACKS || level == LeakDetection.ALL;
    this.timed = !options.isDefault(Option.HELD_TOO_LONG);
    this.clock = options.get(Option.CLOCK);
    this.mostNanos = options.get(Option.HELD_TOO_LONG).toNanos();
    this.reporter = reporter;
  }

  /**
   * Returns the number of the next allocation of a thread cache to track, after {@code
   * allocations}. If the returned number is not larger, all later allocations are tracked.
   */
  public long nextWatched(long allocations) {
    if (level == LeakDetection.OFF) {
      return Long.MAX_VALUE;
    }
    // 0 tracks all. The next number could be missed, because two threads may share a cache.
    return level == LeakDetection.ALL
        ? 0
        : allocations + 1 + (((allocations + 1) * SPREAD) >>> SPREAD_SHIFT);
  }

  /**
   * Tracks the handle of a block if that is due. Returns the object that the handle must hold: the
   * block, or its {@link CachingAllocation.Watched}. The handle is not passed, so that escape
   * analysis may remove it.
   */
  public Object watch(Block block, long bytes) {
    ThreadCache home = ThreadCache.of(block);
    return home.isWatchDue() ? begin(home, block, bytes) : block;
  }

  private Object begin(ThreadCache home, Block block, long bytes) {
    List<StackTraceElement> stack = exact ? CallerStack.take(MOST_FRAMES) : List.of();
    long now = timed || exact ? clock.getAsLong() : 0;
    CachingAllocation.Watched watched = new CachingAllocation.Watched(block);
    LeakTracker watch =
        new LeakTracker(watched, queue, block, bytes, now, stack, timed ? held : null);
    home.watch(block, watch);
    if (timed) {
      synchronized (held) {
        if (!watch.ended) {
          held.add(watch);
        }
      }
    }
    return watched;
  }

  /**
   * Reports the leaks that the garbage collector found since the last call, and allocations held
   * too long.
   */
  public void reportLeaks() {
    for (Reference<?> found = queue.poll(); found != null; found = queue.poll()) {
      if (found instanceof LeakTracker watch) {
        dropped(watch);
      }
    }
    if (timed) {
      reportHeld();
    }
  }

  private void dropped(LeakTracker watch) {
    watch.run();
    if (endIfOpen(watch)) {
      StreamCache.of(watch.block).backing.leaked();
      reporter.report(report(Kind.DROPPED, watch), level);
    }
  }

  /** Ends a tracker; returns false if a close has ended it already. */
  private static boolean endIfOpen(LeakTracker watch) {
    ThreadCache home = ThreadCache.of(watch.block);
    home.lock();
    try {
      Runnable current = watch.block.watch;
      if (current != watch) {
        return false;
      }
      watch.block.watch = null;
      watch.block.leaked = true;
      return true;
    } finally {
      home.unlock();
    }
  }

  private void reportHeld() {
    long now = clock.getAsLong();
    for (LeakTracker each = takeTooLong(now); each != null; each = takeTooLong(now)) {
      reporter.report(report(Kind.HELD, each), level);
    }
  }

  /**
   * Removes and returns the oldest tracker of an allocation held too long; null if there is none.
   */
  private @Nullable LeakTracker takeTooLong(long now) {
    synchronized (held) {
      Iterator<LeakTracker> byAge = held.iterator();
      LeakTracker oldest = byAge.hasNext() ? byAge.next() : null;
      if (oldest == null || now - oldest.since <= mostNanos) {
        return null;
      }
      byAge.remove();
      return oldest;
    }
  }

  private LeakReport report(Kind kind, LeakTracker watch) {
    return new LeakReport(
        kind,
        watch.address,
        watch.bytes,
        Streams.nameOf(watch.stream),
        watch.tag,
        watch.thread,
        timed || exact ? clock.getAsLong() - watch.since : 0,
        watch.stack);
  }
}
