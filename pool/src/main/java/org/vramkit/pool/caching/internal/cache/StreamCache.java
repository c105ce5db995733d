package org.vramkit.pool.caching.internal.cache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.StreamState;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.stats.LiveUsage;
import org.vramkit.pool.caching.internal.stream.EventPool;
import org.vramkit.pool.caching.internal.stream.InFlightCalls;
import org.vramkit.pool.caching.internal.stream.StreamProgress;

/**
 * The free blocks of one stream: its stripes (first tier), and a cache that all threads of the
 * stream share (second tier).
 *
 * <p>Blocks in the caches keep their size: splitting and merging is the device heap's, so that what
 * lies here needs no lock but this stream's own. The lock guards the shared cache and is held for a
 * few instructions; nothing is locked and no driver called under it.
 */
public final class StreamCache extends StreamState {
  public final CacheBacking backing;
  final InFlightCalls calls;

  /** Whether somebody hears of every allocation and free. */
  public final boolean isObserved;

  private final CachingAllocatorOptions options;
  private final CacheCredit credit;
  private final LiveUsage gauge;
  private final AtomicReferenceArray<@Nullable ThreadCache> stripes;
  private final int stripeMask;

  /** Those stripes that there are: a stream has as many as threads use it, of places for dozens. */
  private volatile ThreadCache[] made = {};

  private final ReentrantLock lock = new ReentrantLock();
  private final Block.Table numbers;
  private final long largestFront;
  private final BlockBins shared;

  /** Whether both caches keep nothing. Guarded by {@code lock}. */
  private boolean frozen;

  public StreamCache(
      Stream stream,
      CacheBacking backing,
      InFlightCalls calls,
      CachingAllocatorOptions options,
      CacheCredit credit,
      LiveUsage gauge,
      EventPool events,
      Block.Table numbers,
      long largestFront,
      int stripeCount) {
    super(stream, new StreamProgress(stream, events, options.clock(), backing::isUnasked));
    this.largestFront = largestFront;
    this.numbers = numbers;
    this.shared = new BlockBins(SizeRules.MAX_REQUEST, numbers);
    this.backing = backing;
    this.calls = calls;
    this.options = options;
    this.credit = credit;
    this.gauge = gauge;
    this.isObserved = stream.getDevice().getMemoryObserver() != MemoryObserver.NONE;
    this.stripes = new AtomicReferenceArray<>(stripeCount);
    this.stripeMask = stripeCount - 1;
  }

  /** The caches of the stream that a block belongs to. */
  public static StreamCache of(Block block) {
    return (StreamCache) block.owner();
  }

  /** First tier: a block that fits closely, entered in the books, or null. */
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

  /** Second tier: one of the newest blocks that is aligned, not yet in the books, or null. */
  public @Nullable Block takeSharedAligned(long size, long alignment) {
    lock.lock();
    try {
      return shared.popAligned(size, alignment);
    } finally {
      lock.unlock();
    }
  }

  /** Second tier: a block of this size, not yet in the books, or null. */
  public @Nullable Block takeShared(long size) {
    if (size > options.streamCacheBytes() + credit.earnedRoom()) {
      return null;
    }
    lock.lock();
    try {
      return shared.pop(size, credit.isGenerous() ? ThreadCache.FAR : 0);
    } finally {
      lock.unlock();
    }
  }

  /** Enters a block that came from behind the first tier. */
  public void account(Block block, long requested, boolean hit) {
    ThreadCache stripe = lockStripe();
    try {
      block.home = stripe;
      block.account = null;
      stripe.handedOut(block, requested);
      stripe.books.misses += hit ? 0 : 1;
      stripe.adapt();
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

  /** Takes some of every class out of this thread's cache, or all that all threads share. */
  public @Nullable Block thin() {
    lock.lock();
    try {
      Block drained = shared.drain(0);
      if (drained != null) {
        return drained;
      }
    } finally {
      lock.unlock();
    }
    ThreadCache stripe = lockStripe();
    try {
      return stripe.thin();
    } finally {
      stripe.unlock();
    }
  }

  /** Takes what a stripe has no room for, from the thread that brings it. */
  public void spill(Block first) {
    try {
      Block rest = giveShared(first);
      if (rest != null) {
        backing.takeBack(rest);
      }
    } finally {
      calls.leave();
    }
  }

  private @Nullable Block giveShared(Block first) {
    if (options.streamCacheBytes() == 0) {
      return first;
    }
    long capacity = options.streamCacheBytes() + credit.earnedRoom();
    // What never fits goes on, and nothing with it. Read without the lock: an older answer does.
    if (first.size > capacity && first.nextCached == null && shared.bytes() <= capacity / 2) {
      return first;
    }
    try {
      lock.lock();
    } catch (OutOfMemoryError e) {
      // A lock that is taken needs memory for those who wait.
      return first;
    }
    try {
      if (ended || frozen) {
        return first;
      }
      Block block = first;
      while (block != null) {
        Block rest = block.nextCached;
        // Else whoever takes this block alone gives the others back with it.
        block.nextCached = null;
        shared.push(block);
        block = rest;
      }
      return shared.bytes() > capacity ? shared.drain(capacity / 2) : null;
    } finally {
      lock.unlock();
    }
  }

  /** Takes every block out of both caches and hands each to the heap; returns how many bytes. */
  public long flush(Heap heap) {
    long[] flushed = {0};
    drainStripes(
        heap,
        stripe -> {
          flushed[0] += stripe.bytes();
          return true;
        });
    return flushed[0] + drainShared(heap);
  }

  /**
   * The same for stripes that nothing was taken from since this was last asked; and for what all
   * threads share, where that is true of all stripes.
   */
  public void flushIdle(Heap heap) {
    if (drainStripes(heap, ThreadCache::isIdle)) {
      drainShared(heap);
    }
  }

  /** Empties some stripes, which are locked when they are looked at; true if it was all. */
  private boolean drainStripes(Heap heap, Predicate<ThreadCache> which) {
    boolean all = true;
    for (ThreadCache stripe : made) {
      stripe.lock();
      Block drained = null;
      try {
        if (which.test(stripe)) {
          drained = stripe.drain();
        } else {
          all = false;
        }
      } finally {
        stripe.unlock();
      }
      heap.free(drained);
    }
    return all;
  }

  private long drainShared(Heap heap) {
    long bytes;
    Block drained;
    lock.lock();
    try {
      bytes = shared.bytes();
      drained = shared.drain(0);
    } finally {
      lock.unlock();
    }
    heap.free(drained);
    return bytes;
  }

  /** Stripes that threads have used since this was last asked. */
  public int countBusyStripes() {
    int[] count = {0};
    eachStripe(stripe -> count[0] += stripe.wasUsed() ? 1 : 0);
    return count[0];
  }

  /** Bytes in both caches. */
  public long cachedBytes() {
    long[] bytes = {0};
    eachStripe(stripe -> bytes[0] += stripe.bytes());
    lock.lock();
    try {
      return bytes[0] + shared.bytes();
    } finally {
      lock.unlock();
    }
  }

  /** Blocks in both caches. */
  public long cachedBlocks() {
    long[] count = {0};
    eachStripe(stripe -> count[0] += stripe.count());
    lock.lock();
    try {
      return count[0] + shared.count();
    } finally {
      lock.unlock();
    }
  }

  /** Visits every stripe under its lock. */
  public void eachStripe(java.util.function.Consumer<ThreadCache> visitor) {
    for (ThreadCache stripe : made) {
      stripe.lock();
      try {
        visitor.accept(stripe);
      } finally {
        stripe.unlock();
      }
    }
  }

  /** This thread's stripe. */
  public ThreadCache ownStripe() {
    return stripe((int) Thread.currentThread().getId() & stripeMask);
  }

  /** This thread's stripe, or the next that is free; locked. */
  private ThreadCache lockStripe() {
    return lockAny((int) Thread.currentThread().getId());
  }

  private ThreadCache lockAny(int own) {
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
        // Room first: without it, no cache is made that nobody sees.
        ThreadCache[] more = Arrays.copyOf(made, made.length + 1);
        stripe =
            new ThreadCache(
                this,
                options.threadCacheBytes(),
                options.threadCacheBlockBytes(),
                largestFront,
                credit,
                gauge,
                numbers);
        if (frozen) {
          stripe.freeze();
        }
        more[made.length] = stripe;
        made = more;
        stripes.setRelease(index, stripe);
      }
      return stripe;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Keeps nothing in either cache until it is thawed; what was there goes to the heap. Hits end
   * with it, because they come from stripes alone.
   */
  void freeze(Heap heap) {
    freeze();
    drainStripes(heap, ThreadCache::freeze);
    drainShared(heap);
  }

  /** The same where both caches are empty. */
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
