package org.vramkit.pool.caching.internal.leak;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.pool.caching.LeakReport;
import org.vramkit.pool.caching.LeakReport.Kind;
import org.vramkit.pool.caching.internal.cache.CachingAllocation;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.ThreadCache;
import org.vramkit.pool.caching.internal.cache.WatchChoice;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.HandleWatch;
import org.vramkit.pool.caching.internal.history.CallerStack;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;

/**
 * Finds handles that were dropped without a close, for all pools of an allocator: the collector
 * queues their watches, and the next allocation that is watched itself, or that misses the caches,
 * looks at the queue and tells.
 *
 * <p>What was dropped stays taken, and nobody frees it, neither the collector's thread nor this
 * one: somebody may have kept the bare address, and queued work may use it. That nobody can close
 * it is what the report is about.
 *
 * <p>No thread of its own, no lock on the way of a hit. Which stripes choose what they watch by
 * their own counts is {@link #choice}.
 */
public final class LeakDetector {
  /** Of so many allocations one is watched, on average and at random. */
  private static final int SAMPLED_OF = 128;

  private final ReferenceQueue<CachingAllocation> queue = new ReferenceQueue<>();
  private final LeakDetection level;
  private final WatchChoice choice;
  private final LongSupplier clock;
  private final HeldWatches held;

  /** Whether it matters how long something is held. */
  private final boolean timed;

  private final LeakTeller teller;

  /** Watches as the options say. */
  public LeakDetector(CachingAllocatorOptions options, LeakTeller teller) {
    this.level = options.leakDetection();
    this.choice = choiceOf(level);
    this.timed = !options.heldTooLong().isZero();
    this.clock = options.clock();
    this.held = new HeldWatches(options.heldTooLong().toNanos());
    this.teller = teller;
  }

  /** Which allocations of a stripe are watched. */
  public WatchChoice choice() {
    return choice;
  }

  private static WatchChoice choiceOf(LeakDetection level) {
    return switch (level) {
      case OFF -> WatchChoice.NONE;
      case SAMPLED, STACKS ->
          before -> before + ThreadLocalRandom.current().nextInt(1, 2 * SAMPLED_OF);
      case ALL -> before -> before + 1;
    };
  }

  /** Watches a handle whose block was chosen, before anybody else knows it; and tells of others. */
  public void watch(CachingAllocation handle, Block block) {
    LeakWatch watch = begin(handle, block);
    block.watch = watch;
    if (timed && watch != null) {
      held.add(watch);
    }
    look();
  }

  /** Null where the JVM has no memory or no room on the stack left: that matters more. */
  private @Nullable LeakWatch begin(CachingAllocation handle, Block block) {
    try {
      boolean withStack = level == LeakDetection.STACKS || level == LeakDetection.ALL;
      List<StackTraceElement> stack = withStack ? CallerStack.take() : List.of();
      return new LeakWatch(handle, queue, block, clock.getAsLong(), stack, timed ? held : null);
    } catch (StackOverflowError | OutOfMemoryError e) {
      // One sample less; the allocation itself has all that it needs.
      return null;
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
    for (LeakWatch each = held.takeTooLong(now); each != null; each = held.takeTooLong(now)) {
      teller.tell(report(Kind.HELD, each), level);
    }
  }

  private LeakReport report(Kind kind, LeakWatch watch) {
    Block block = watch.block;
    return new LeakReport(
        kind,
        block.address,
        watch.bytes,
        "0x" + Long.toHexString(block.owner().stream.getHandle()),
        block.tag,
        watch.thread,
        clock.getAsLong() - watch.since,
        watch.stack);
  }
}
