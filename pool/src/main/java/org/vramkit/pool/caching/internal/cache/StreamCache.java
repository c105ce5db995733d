package org.vramkit.pool.caching.internal.cache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
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
import org.vramkit.pool.caching.internal.option.Option;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.Gate;
import org.vramkit.pool.support.PoolHealth;
import org.vramkit.pool.support.PoolLock;
import org.vramkit.pool.support.StreamProgress;

/**
 * The thread caches of a stream, one for each stripe of threads. A thread cache neither splits nor
 * merges blocks, so it needs no lock but its own.
 */
public final class StreamCache extends StreamState {
  public final CacheBacking backing;

  final Gate gate;
  final PoolHealth health;

  /** True if an observer sees every allocation and free. */
  public final boolean isObserved;

  private final Settings settings;
  private final UsageGauge gauge;
  private final AtomicReferenceArray<@Nullable ThreadCache> stripes;
  private final int stripeMask;

  /** The stripes created so far, in the order of creation. */
  private volatile ThreadCache[] made = {};

  /** Guards {@code made}, {@code frozen} and {@code stopped}. */
  private final PoolLock lock;

  private final Block.Table numbers;
  private boolean frozen;

  private int stopped;

  /**
   * Settings of the caches of a pool.
   *
   * @param capacity bytes that a cache keeps before it grows
   * @param largestFront bytes of the largest front block; 0 for no larger ones than in the bins
   * @param stripes the number of caches of a stream, for different threads: a power of two
   */
  public record Settings(long capacity, long largestFront, int stripes) {
    /** Thread caches per processor, so that two busy threads rarely meet in one. */
    private static final int STRIPES_PER_PROCESSOR = 2;

    private static final int MAX_STRIPES = 64;
    private static final long FRONT_BYTES = 8 * ByteSize.MIB;

    public static Settings of(CachingAllocatorOptions options, boolean isVirtual) {
      int stripes = Runtime.getRuntime().availableProcessors() * STRIPES_PER_PROCESSOR;
      return new Settings(
          options.get(Option.THREAD_CACHE),
          // In a segment, a block kept in front causes fragmentation; over pages it can be flushed.
          isVirtual ? FRONT_BYTES : 0,
          Math.min(MAX_STRIPES, Integer.highestOneBit(2 * stripes - 1)));
    }
  }

  public StreamCache(
      Stream stream,
      StreamProgress progress,
      CacheBacking backing,
      Gate gate,
      PoolHealth health,
      Settings settings,
      UsageGauge gauge,
      Block.Table numbers) {
    super(stream, progress);
    this.settings = settings;
    this.lock = new PoolLock(health);
    this.numbers = numbers;
    this.backing = backing;
    this.gate = gate;
    this.health = health;
    this.gauge = gauge;
    this.isObserved = stream.getDevice().getMemoryObserver() != MemoryObserver.NONE;
    this.stripes = new AtomicReferenceArray<>(settings.stripes());
    this.stripeMask = settings.stripes() - 1;
  }

  public static StreamCache of(Block block) {
    return (StreamCache) block.owner();
  }

  /** Allocates a block that fits closely from a thread cache; null if there is none. */
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
   * @param free whether it was free there, so that no memory was taken or moved
   * @param contended whether threads contend for the heap
   */
  public void account(Block block, long requested, boolean free, boolean contended) {
    ThreadCache stripe = lockStripe();
    try {
      block.cache = stripe;
      block.account = null;
      stripe.countAllocated(block, requested);
      stripe.stats.searched++;
      stripe.stats.misses += free ? 0 : 1;
      if (contended) {
        stripe.grow();
      }
    } finally {
      stripe.unlock();
    }
  }

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

  /**
   * Frees blocks that a stripe has no room for, and leaves the gate that the carrying call has
   * entered.
   */
  void spill(Block first) {
    try {
      backing.takeBack(first);
    } finally {
      gate.leave();
    }
    if (gate.isShut()) {
      backing.closedAfterEnd();
    }
  }

  public void flush(Heap heap) {
    drain(heap, ThreadCache::empty);
  }

  /** Flushes the stripes without an allocation since the last call. */
  public void flushIdle(Heap heap) {
    drain(heap, stripe -> stripe.isIdle() ? stripe.empty() : Long.MAX_VALUE);
  }

  private void drain(Heap heap, ToLongFunction<ThreadCache> keptBytes) {
    for (ThreadCache stripe : made) {
      stripe.drainTo(heap, keptBytes);
    }
  }

  /** Makes every stripe, also later ones, write to the current history, or to none. */
  public void renewHistory() {
    lock.lock();
    try {
      eachStripe(stripe -> stripe.setHistory(backing.historyWriter(stream)));
    } finally {
      lock.unlock();
    }
  }

  public void eachStripe(Consumer<ThreadCache> visitor) {
    for (ThreadCache stripe : made) {
      stripe.visit(visitor);
    }
  }

  /** Locks all stripes and prevents new ones, until {@link #resume}. */
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

  /** Unlocks the stripes. Called by the thread that stopped them. */
  void resume() {
    while (stopped > 0) {
      made[--stopped].unlock();
    }
    lock.unlock();
  }

  public ThreadCache ownStripe() {
    return stripe((int) Thread.currentThread().getId() & stripeMask);
  }

  /** Locks and returns the stripe of this thread, or the next one that is free. */
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

  /** Empties the caches into the heap and keeps them empty until {@link #unfreeze}. */
  void freeze(Heap heap) {
    freeze();
    drain(heap, ThreadCache::freeze);
  }

  /** Keeps new caches empty until {@link #unfreeze}. */
  void freeze() {
    lock.lock();
    try {
      frozen = true;
    } finally {
      lock.unlock();
    }
  }

  /** Allows the caches to keep blocks again. */
  void unfreeze() {
    lock.lock();
    try {
      frozen = false;
    } finally {
      lock.unlock();
    }
    eachStripe(ThreadCache::unfreeze);
  }
}
