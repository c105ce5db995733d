package org.vramkit.pool.caching.internal.cache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.StreamState;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.StreamProgress;

/**
 * The thread caches of one stream. Blocks in them keep their size: splitting and merging is the
 * heap's, so that a thread cache needs no lock but its own.
 */
public final class StreamCache extends StreamState {
  public final CacheBacking backing;
  final ArenaGate gate;

  /** Whether an observer sees every allocation and free. */
  public final boolean isObserved;

  private final Settings settings;
  private final UsageGauge gauge;
  private final AtomicReferenceArray<@Nullable ThreadCache> stripes;
  private final int stripeMask;

  /** Those stripes that there are: a stream has as many as threads use it, of places for dozens. */
  private volatile ThreadCache[] made = {};

  /** Guards {@code made}, {@code frozen} and {@code stopped}. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Block.Table numbers;
  private boolean frozen;

  /** How many stripes are stopped. */
  private int stopped;

  /**
   * Settings of the caches of a pool.
   *
   * @param capacity of a thread cache in bytes
   * @param largestFront the largest block that a thread cache keeps in front of its bins
   * @param stripes how many thread caches a stream has at most; a power of two
   */
  public record Settings(long capacity, long largestFront, int stripes) {
    /** Thread caches per processor, so that two busy threads rarely meet in one. */
    private static final int STRIPES_PER_PROCESSOR = 2;

    private static final int MAX_STRIPES = 64;
    private static final long FRONT_BYTES = 8 * ByteSize.MIB;

    /** Settings as the options say. */
    public static Settings of(CachingAllocatorOptions options, boolean isVirtual) {
      int stripes = Runtime.getRuntime().availableProcessors() * STRIPES_PER_PROCESSOR;
      return new Settings(
          options.threadCacheBytes(),
          // In a segment a block that lies aside is a hole; over pages it is flushed out where it
          // matters.
          isVirtual ? FRONT_BYTES : 0,
          Math.min(MAX_STRIPES, Integer.highestOneBit(2 * stripes - 1)));
    }
  }

  /** The caches of a stream, none yet. */
  public StreamCache(
      Stream stream,
      StreamProgress progress,
      CacheBacking backing,
      ArenaGate gate,
      Settings settings,
      UsageGauge gauge,
      Block.Table numbers) {
    super(stream, progress);
    this.settings = settings;
    this.numbers = numbers;
    this.backing = backing;
    this.gate = gate;
    this.gauge = gauge;
    this.isObserved = stream.getDevice().getMemoryObserver() != MemoryObserver.NONE;
    this.stripes = new AtomicReferenceArray<>(settings.stripes());
    this.stripeMask = settings.stripes() - 1;
  }

  /** The caches of the stream that a block belongs to. */
  public static StreamCache of(Block block) {
    return (StreamCache) block.owner();
  }

  /** Takes a block that fits closely from a thread cache, and counts it; null if there is none. */
  public @Nullable Block takeNear(long size, long requested, long alignment) {
    ThreadCache stripe = lockStripe();
    try {
      Block block =
          alignment <= SizeRules.ALIGNMENT
              ? stripe.take(size, requested)
              : stripe.takeAligned(size, requested, alignment);
      if (block != null) {
        block.account = null;
      }
      return block;
    } finally {
      stripe.unlock();
    }
  }

  /**
   * Counts a block that came from the heap.
   *
   * @param free whether it was free there, and no memory was taken or moved for it
   * @param contended whether threads wait for each other at the heap
   */
  public void account(Block block, long requested, boolean free, boolean contended) {
    ThreadCache stripe = lockStripe();
    try {
      block.home = stripe;
      block.account = null;
      stripe.handedOut(block, requested);
      stripe.books.searched++;
      stripe.books.misses += free ? 0 : 1;
      if (contended) {
        stripe.grow();
      }
    } finally {
      stripe.unlock();
    }
  }

  /** Keeps a block that its user has closed. */
  public void give(Block block) {
    ThreadCache stripe = ThreadCache.of(block);
    stripe.lock();
    Block rest;
    try {
      rest = stripe.give(block);
    } finally {
      stripe.unlock();
    }
    if (rest != null) {
      spill(rest);
    }
  }

  /** Takes what a stripe has no room for, from the thread that brings it. */
  void spill(Block first) {
    try {
      backing.takeBack(first);
    } finally {
      gate.leave();
    }
  }

  /** Takes every block out of the caches and frees it. */
  public void flush(Heap heap) {
    drain(heap, ThreadCache::empty);
  }

  /** The same for stripes that no block was taken from since this was last asked. */
  public void flushIdle(Heap heap) {
    drain(heap, stripe -> stripe.isIdle() ? stripe.empty() : Long.MAX_VALUE);
  }

  private void drain(Heap heap, ToLongFunction<ThreadCache> keptBytes) {
    for (ThreadCache stripe : made) {
      stripe.drainTo(heap, keptBytes);
    }
  }

  /** Begins or ends the history of every stripe, as those do that are made from now on. */
  public void renewHistory() {
    lock.lock();
    try {
      eachStripe(stripe -> stripe.setHistory(backing.newHistoryWriter(stream)));
    } finally {
      lock.unlock();
    }
  }

  /** Bytes in the caches. */
  public long cachedBytes() {
    long[] bytes = {0};
    eachStripe(stripe -> bytes[0] += stripe.bytes());
    return bytes[0];
  }

  /** Blocks in the caches. */
  public long cachedBlocks() {
    long[] count = {0};
    eachStripe(stripe -> count[0] += stripe.count());
    return count[0];
  }

  /** Visits every stripe under its lock. */
  public void eachStripe(Consumer<ThreadCache> visitor) {
    for (ThreadCache stripe : made) {
      stripe.lock();
      try {
        visitor.accept(stripe);
      } finally {
        stripe.unlock();
      }
    }
  }

  /** Has no stripe hand out a block or take one back, and none be new, until {@link #resume}. */
  void stop() {
    lock.lock();
    boolean done = false;
    try {
      for (ThreadCache each : made) {
        each.lock();
        stopped++;
      }
      done = true;
    } finally {
      if (!done) {
        resume();
      }
    }
  }

  /** Lets the stripes go on, by the thread that stopped them. */
  void resume() {
    while (stopped > 0) {
      made[--stopped].unlock();
    }
    lock.unlock();
  }

  /** This thread's stripe. */
  public ThreadCache ownStripe() {
    return stripe((int) Thread.currentThread().getId() & stripeMask);
  }

  /** This thread's stripe, or the next that is free; locked. */
  private ThreadCache lockStripe() {
    int own = (int) Thread.currentThread().getId();
    for (int i = 0; i <= stripeMask; i++) {
      ThreadCache stripe = stripe((own + i) & stripeMask);
      if (stripe.tryLock()) {
        return stripe;
      }
    }
    ThreadCache stripe = stripe(own & stripeMask);
    stripe.lock();
    return stripe;
  }

  private ThreadCache stripe(int index) {
    ThreadCache stripe = stripes.getAcquire(index);
    return stripe != null ? stripe : makeStripe(index);
  }

  private ThreadCache makeStripe(int index) {
    lock.lock();
    try {
      ThreadCache stripe = stripes.getAcquire(index);
      if (stripe == null) {
        stripe = new ThreadCache(this, settings, gauge, numbers);
        if (frozen) {
          stripe.freeze();
        }
        ThreadCache[] more = Arrays.copyOf(made, made.length + 1);
        more[made.length] = stripe;
        made = more;
        stripes.setRelease(index, stripe);
      }
      return stripe;
    } finally {
      lock.unlock();
    }
  }

  /** Keeps nothing in the caches until they are thawed; blocks in them go to the heap. */
  void freeze(Heap heap) {
    freeze();
    drain(heap, ThreadCache::freeze);
  }

  /** The same where the caches are empty. */
  void freeze() {
    lock.lock();
    try {
      frozen = true;
    } finally {
      lock.unlock();
    }
  }

  /** Keeps blocks again. */
  void thaw() {
    lock.lock();
    try {
      frozen = false;
    } finally {
      lock.unlock();
    }
    eachStripe(ThreadCache::thaw);
  }
}
