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
import org.vramkit.pool.caching.internal.heap.HandleWatch;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.support.CallerStack;
import org.vramkit.pool.support.Streams;

/**
 * Finds handles that were dropped without a close, for all pools of an allocator: the collector
 * queues their watches, and the next allocation that is watched itself, or that misses the caches,
 * looks at the queue first and tells.
 *
 * <p>What was dropped stays taken, and nobody frees it, neither the collector's thread nor this
 * one: somebody may have kept the bare address, and queued work may use it. That nobody can close
 * it is what the report is about.
 *
 * <p>No thread of its own, no lock on the way of a hit. Which stripes choose what they watch by
 * their own counts is {@link #nextWatched}.
 */
public final class LeakDetector {
  /** Of so many allocations one is watched on average, where they are sampled. */
  static final int SAMPLED_ONE_IN = 128;

  // From one to the next are 1 to 256 allocations, as if drawn at random.
  private static final long SPREAD = 0x9E3779B97F4A7C15L;
  private static final int SPREAD_SHIFT = Long.SIZE - 8;

  /** Frames kept of a stack. */
  private static final int MOST_FRAMES = 16;

  private final ReferenceQueue<CachingAllocation.Watched> queue = new ReferenceQueue<>();
  private final LeakDetection level;
  private final boolean watchesNone;
  private final boolean watchesAll;

  /** Whether stacks and times are taken, which cost more than all the rest. */
  private final boolean exact;

  private final LongSupplier clock;

  /** Watches by age, to find what is held for long; its monitor is a leaf. */
  private final Set<LeakWatch> held = new LinkedHashSet<>();

  private final long mostNanos;

  /** Whether it matters how long something is held. */
  private final boolean timed;

  private final LeakTeller teller;

  /** Watches as the options say. */
  public LeakDetector(CachingAllocatorOptions options, LeakTeller teller) {
    this.level = options.leakDetection();
    this.watchesNone = level == LeakDetection.OFF;
    this.watchesAll = level == LeakDetection.ALL;
    this.exact = level == LeakDetection.STACKS || level == LeakDetection.ALL;
    this.timed = !options.heldTooLong().isZero();
    this.clock = options.clock();
    this.mostNanos = options.heldTooLong().toNanos();
    this.teller = teller;
  }

  /**
   * The number of the next allocation of a thread cache that is watched, after some; each one is
   * watched while that is in the past.
   */
  public long nextWatched(long allocations) {
    if (watchesNone) {
      return Long.MAX_VALUE;
    }
    // Not the next one alone: two threads may meet in a cache, both after the one before.
    return watchesAll ? 0 : allocations + 1 + (((allocations + 1) * SPREAD) >>> SPREAD_SHIFT);
  }

  /**
   * Watches the handle of a block where it is its turn, before anybody else knows it. The handle
   * itself is not handed in: it would have to be an object of the heap then.
   *
   * @return what the handle is to hold
   */
  public Object watch(Block block, long bytes) {
    ThreadCache home = ThreadCache.of(block);
    return home.isWatchDue() ? begin(home, block, bytes) : block;
  }

  private Object begin(ThreadCache home, Block block, long bytes) {
    try {
      List<StackTraceElement> stack = exact ? CallerStack.take(MOST_FRAMES) : List.of();
      long now = timed || exact ? clock.getAsLong() : 0;
      CachingAllocation.Watched watched = new CachingAllocation.Watched(block);
      LeakWatch watch =
          new LeakWatch(watched, queue, block, bytes, now, stack, timed ? held : null);
      home.watch(block, watch);
      if (timed) {
        synchronized (held) {
          if (!watch.ended) {
            held.add(watch);
          }
        }
      }
      return watched;
    } catch (StackOverflowError | OutOfMemoryError e) {
      // One sample less; the allocation itself has all that it needs.
      return block;
    }
  }

  /** Tells of what was found since this was last called. */
  public void look() {
    for (Reference<?> found = queue.poll(); found != null; found = queue.poll()) {
      if (found instanceof LeakWatch watch) {
        dropped(watch);
      }
    }
    if (timed) {
      lookForHeld();
    }
  }

  private void dropped(LeakWatch watch) {
    watch.closed();
    if (endIfOpen(watch)) {
      StreamCache.of(watch.block).backing.leaked();
      teller.tell(report(Kind.DROPPED, watch), level);
    }
  }

  /** A close that came first has ended the watch under the same lock. */
  private static boolean endIfOpen(LeakWatch watch) {
    ThreadCache home = ThreadCache.of(watch.block);
    home.lock();
    try {
      HandleWatch current = watch.block.watch;
      if (current != watch) {
        return false;
      }
      watch.block.watch = null;
      return true;
    } finally {
      home.unlock();
    }
  }

  private void lookForHeld() {
    long now = clock.getAsLong();
    for (LeakWatch each = takeTooLong(now); each != null; each = takeTooLong(now)) {
      teller.tell(report(Kind.HELD, each), level);
    }
  }

  /** Takes the oldest out that has been held for too long; null if there is none. */
  private @Nullable LeakWatch takeTooLong(long now) {
    synchronized (held) {
      Iterator<LeakWatch> byAge = held.iterator();
      LeakWatch oldest = byAge.hasNext() ? byAge.next() : null;
      if (oldest == null || now - oldest.since <= mostNanos) {
        return null;
      }
      byAge.remove();
      return oldest;
    }
  }

  private LeakReport report(Kind kind, LeakWatch watch) {
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
