package org.vramkit.pool.caching.internal.leak;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.pool.caching.LeakReport;
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

  private final LeakReporter reporter;

  public LeakDetector(CachingAllocatorOptions options, LeakReporter reporter) {
    this.level = options.get(Option.LEAK_DETECTION);
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

  /** Returns whether tracked allocations have the stack of their caller. */
  public boolean keepsStacks() {
    return level == LeakDetection.STACKS || level == LeakDetection.ALL;
  }

  private Object begin(ThreadCache home, Block block, long bytes) {
    List<StackTraceElement> stack = keepsStacks() ? CallerStack.take(MOST_FRAMES) : List.of();
    CachingAllocation.Watched watched = new CachingAllocation.Watched(block);
    home.watch(block, new LeakTracker(watched, queue, block, bytes, stack));
    return watched;
  }

  /** Reports the leaks that the garbage collector found since the last call. */
  public void reportLeaks() {
    for (Reference<?> found = queue.poll(); found != null; found = queue.poll()) {
      if (found instanceof LeakTracker watch && leakIfOpen(watch)) {
        StreamCache.of(watch.block).backing.leaked();
        reporter.report(
            new LeakReport(
                watch.address,
                watch.bytes,
                Streams.nameOf(watch.stream),
                watch.tag,
                watch.thread,
                watch.stack),
            level);
      }
    }
  }

  /**
   * Returns the stack of a live block's allocation, the nearest frame first; empty if it is not
   * tracked with one. Without the block's lock, the answer may be out of date.
   */
  public static List<StackTraceElement> stackOf(Block block) {
    return block.watch instanceof LeakTracker tracker ? tracker.stack : List.of();
  }

  /**
   * Marks a tracked block as leaked; returns false if a close came first. The block keeps its
   * tracker, for {@link #stackOf}.
   */
  private static boolean leakIfOpen(LeakTracker watch) {
    ThreadCache home = ThreadCache.of(watch.block);
    home.lock();
    try {
      if (watch.block.watch != watch) {
        return false;
      }
      watch.block.leaked = true;
      return true;
    } finally {
      home.unlock();
    }
  }
}
