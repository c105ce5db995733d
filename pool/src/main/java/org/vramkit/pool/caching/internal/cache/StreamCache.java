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
 * The thread caches of a stream, one for each group of threads. A thread cache neither splits nor
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
  private final AtomicReferenceArray<@Nullable ThreadCache> caches;
  private final int cacheMask;

  /** The thread caches created so far, in the order of creation. */
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
   * @param caches the number of caches of a stream, for different threads: a power of two
   */
  public record Settings(long capacity, long largestFront, int caches) {
    /** Thread caches per processor, so that two busy threads rarely meet in one. */
    private static final int CACHES_PER_PROCESSOR = 2;

    private static final int MAX_CACHES = 64;
    private static final long FRONT_BYTES = 8 * ByteSize.MIB;

    public static Settings of(CachingAllocatorOptions options, boolean isVirtual) {
      int caches = Runtime.getRuntime().availableProcessors() * CACHES_PER_PROCESSOR;
      return new Settings(
          options.get(Option.THREAD_CACHE),
          // In a segment, a block kept in front causes fragmentation; over pages it can be flushed.
          isVirtual ? FRONT_BYTES : 0,
          Math.min(MAX_CACHES, Integer.highestOneBit(2 * caches - 1)));
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
    this.caches = new AtomicReferenceArray<>(settings.caches());
    this.cacheMask = settings.caches() - 1;
  }

  public static StreamCache of(Block block) {
    return (StreamCache) block.owner();
  }

  /** Allocates a block that fits closely from a thread cache; null if there is none. */
  public @Nullable Block takeNear(long size, long requested, long alignment) {
    ThreadCache cache = lockCache();
    try {
      Block block =
          alignment <= SizeRules.ALIGNMENT
              ? cache.take(size, requested)
              : cache.takeAligned(size, requested, alignment);
      if (block != null) {
        block.account = null;
      }
      return block;
    } finally {
      cache.unlock();
    }
  }

  /**
   * Counts a block that came from the heap.
   *
   * @param free whether it was free there, so that no memory was taken or moved
   * @param contended whether threads contend for the heap
   */
  public void account(Block block, long requested, boolean free, boolean contended) {
    ThreadCache cache = lockCache();
    try {
      block.cache = cache;
      block.account = null;
      cache.countAllocated(block, requested);
      cache.stats.searched++;
      cache.stats.misses += free ? 0 : 1;
      if (contended) {
        cache.grow();
      }
    } finally {
      cache.unlock();
    }
  }

  public void give(Block block) {
    ThreadCache cache = ThreadCache.of(block);
    cache.lock();
    Block rest;
    try {
      rest = cache.give(block);
    } finally {
      cache.unlock();
    }
    if (rest != null) {
      spill(rest);
    }
  }

  /**
   * Frees blocks that a thread cache has no room for, and leaves the gate that the carrying call
   * has entered.
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

  /** Flushes the thread caches without an allocation since the last call. */
  public void flushIdle(Heap heap) {
    drain(heap, cache -> cache.isIdle() ? cache.empty() : Long.MAX_VALUE);
  }

  private void drain(Heap heap, ToLongFunction<ThreadCache> keptBytes) {
    for (ThreadCache cache : made) {
      cache.drainTo(heap, keptBytes);
    }
  }

  /** Makes every thread cache, also later ones, write to the current history, or to none. */
  public void renewHistory() {
    lock.lock();
    try {
      eachThreadCache(cache -> cache.setHistory(backing.historyWriter(stream)));
    } finally {
      lock.unlock();
    }
  }

  public void eachThreadCache(Consumer<ThreadCache> visitor) {
    for (ThreadCache cache : made) {
      cache.visit(visitor);
    }
  }

  /** Locks all thread caches and prevents new ones, until {@link #resume}. */
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

  /** Unlocks the thread caches. Called by the thread that stopped them. */
  void resume() {
    while (stopped > 0) {
      made[--stopped].unlock();
    }
    lock.unlock();
  }

  public ThreadCache ownCache() {
    return cache((int) Thread.currentThread().getId() & cacheMask);
  }

  /** Locks and returns the thread cache of this thread, or the next one that is free. */
  private ThreadCache lockCache() {
    int own = (int) Thread.currentThread().getId();
    for (int i = 0; i <= cacheMask; i++) {
      ThreadCache cache = cache((own + i) & cacheMask);
      if (cache.tryLock()) {
        return cache;
      }
    }
    ThreadCache cache = cache(own & cacheMask);
    cache.lock();
    return cache;
  }

  private ThreadCache cache(int index) {
    ThreadCache cache = caches.getAcquire(index);
    return cache != null ? cache : makeCache(index);
  }

  private ThreadCache makeCache(int index) {
    lock.lock();
    try {
      ThreadCache cache = caches.getAcquire(index);
      if (cache == null) {
        cache = new ThreadCache(this, settings, gauge, numbers);
        if (frozen) {
          cache.freeze();
        }
        ThreadCache[] more = Arrays.copyOf(made, made.length + 1);
        more[made.length] = cache;
        made = more;
        caches.setRelease(index, cache);
      }
      return cache;
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
    eachThreadCache(ThreadCache::unfreeze);
  }
}
