package org.vramkit.pool.caching.internal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.history.HistoryWriter;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.stats.TagAccount;
import org.vramkit.pool.caching.internal.stats.ThreadCacheStatistics;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.Padded;

/**
 * The first tier: free blocks of a stream for one group of threads, and the statistics of their
 * allocations and frees.
 *
 * <p>Thread ids select the group, so a cache is nearly always used by one thread, and its lock is
 * free. An allocation that finds the lock taken tries the next cache. A block returns to the cache
 * that it came from, whichever thread closes it. There it is needed again, and the lock of this one
 * cache decides which thread has closed it. The lock is held only for a few instructions.
 *
 * <p>A cache that is full returns half of its bytes to the heap, the largest blocks first.
 *
 * <p>A cache has room for a few MiB of small blocks. Contention for the heap doubles the room, up
 * to a fraction of the live bytes of the cache; a cache that has grown also keeps larger blocks. A
 * search that finds no memory in the heap halves the room. A program with one thread therefore
 * caches little, and a program with many threads trades memory for less contention.
 */
public final class ThreadCache extends Padded {
  private static final VarHandle LOCKED;

  static {
    try {
      LOCKED = MethodHandles.lookup().findVarHandle(ThreadCache.class, "locked", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Number of larger classes that may serve a request: blocks at most 1/8 larger. */
  private static final int REACH = 1;

  /** The reach of a cache that has grown: blocks at most 9/16 larger. */
  private static final int GROWN_REACH = 8;

  private static final long LARGEST_GROWN = 8 * ByteSize.MIB;

  /** A cache grows up to 1/{@value} of its live bytes. */
  private static final int LIVE_PARTS = 4;

  /** How often a thread spins on the lock before it sleeps. */
  private static final int SPINS = 100;

  private static final long NAP_NANOS = 1_000;

  @SuppressWarnings("unused") // by LOCKED
  private int locked;

  /**
   * The number of the newest block, the front, which serves a repeated size without a search. A
   * block that is too large for the bins may be the front until another block replaces it.
   */
  private int front;

  /** The size of the front block; 0 for none. */
  private long frontSize;

  public final StreamCache owner;

  /** The stream object that the caches were made for. */
  final Stream stream;

  /**
   * The stream by which {@link CacheTable#findCache} finds this cache. While the next handle is to
   * be tracked, which only the slow path does, it is an object that is no stream, so the cache is
   * not found and hits need no check. Also read without the lock; a stale value does no harm.
   */
  Object found = this;

  public final ThreadCacheStatistics stats;

  /** Writes events; null while no history is kept. Guarded by the lock. */
  private @Nullable HistoryWriter history;

  /** The number of allocations before the next one whose handle is tracked. */
  private long unwatched;

  /**
   * The account of untagged blocks; null if neither a history nor an observer needs their events.
   */
  private @Nullable TagAccount plain;

  private long agedAllocations;
  private final Block.Table numbers;
  private final BlockBins bins;
  private final long leastRoom;
  private final long largestBlock;
  private final long largestFront;

  /** The most bytes that the bins keep; a free beyond that overflows half of them. */
  private long room;

  /** True if threads contended for the heap since the last {@link #shrink}. */
  private boolean isContended;

  /** Largest block of the bins; -1 while frozen. */
  private long largestKept;

  /** Largest front block; -1 while frozen. */
  private long frontLimit;

  private boolean isFilled;

  /** The next cache that a flush empties; see {@link CacheTable#filled}. */
  @Nullable ThreadCache nextFilled;

  ThreadCache(
      StreamCache owner, StreamCache.Settings settings, UsageGauge gauge, Block.Table numbers) {
    this.numbers = numbers;
    this.owner = owner;
    this.stream = owner.stream;
    this.bins = new BlockBins(LARGEST_GROWN, numbers);
    this.leastRoom = settings.capacity();
    this.largestBlock = Math.min(leastRoom, SizeRules.SMALL_LIMIT);
    this.largestFront = leastRoom == 0 ? 0 : Math.max(largestBlock, settings.largestFront());
    this.stats = new ThreadCacheStatistics(gauge);
    setHistory(owner.backing.historyWriter(stream));
    watchNext(owner.backing.nextWatched(0));
    unfreeze();
  }

  /** Begins a history, or ends it with null. Called under the lock. */
  void setHistory(@Nullable HistoryWriter writer) {
    history = writer;
    plain = writer == null && !owner.isObserved ? null : TagAccount.NONE;
  }

  /**
   * Keeps no more blocks until {@link #unfreeze}. Once the caller has drained the cache, every
   * allocation searches the heap. Called under the lock.
   *
   * @return 0, the bytes to keep
   */
  long freeze() {
    setRoom(leastRoom);
    largestKept = -1;
    frontLimit = -1;
    return 0;
  }

  /** Keeps blocks again. Called under the lock. */
  void unfreeze() {
    setRoom(leastRoom);
    frontLimit = largestFront;
  }

  private void setRoom(long bytes) {
    room = bytes;
    largestKept = bytes > leastRoom ? LARGEST_GROWN : largestBlock;
  }

  /** Doubles the room, because threads contend for the heap. Called under the lock. */
  void grow() {
    isContended = true;
    long most = stats.allocated() / LIVE_PARTS;
    if (largestKept > 0 && room < most) {
      setRoom(Math.min(2 * room, most));
    }
  }

  /**
   * Resets the room to the initial one, because memory is scarce. Called under the lock.
   *
   * @return 0, the bytes to keep
   */
  long empty() {
    if (room > leastRoom) {
      setRoom(leastRoom);
    }
    return 0;
  }

  /**
   * Halves the room, because the heap has no fitting block, unless threads have contended for the
   * heap since the last call. Called under the lock.
   *
   * @return the bytes to keep; 0 if the room is the initial one
   */
  long shrink() {
    if (room > leastRoom && !isContended) {
      setRoom(Math.max(leastRoom, room / 2));
    }
    isContended = false;
    return room > leastRoom ? room : 0;
  }

  /** Returns the cache that a live block was taken from. */
  public static ThreadCache of(Block block) {
    if (block.cache instanceof ThreadCache cache) {
      return cache;
    }
    throw new IllegalStateException(
        "block at 0x" + Long.toHexString(block.address) + " has no thread cache");
  }

  public boolean tryLock() {
    return LOCKED.compareAndSet(this, 0, 1);
  }

  /**
   * Takes the lock.
   *
   * @throws IllegalStateException if it is held and the allocator is broken
   */
  public void lock() {
    if (!lockIfIntact()) {
      throw owner.health.broken();
    }
  }

  /** Calls a visitor under the lock. If the allocator is broken, the lock may be held forever. */
  void visit(Consumer<ThreadCache> visitor) {
    try {
      boolean locked = lockIfIntact();
      try {
        visitor.accept(this);
      } finally {
        if (locked) {
          unlock();
        }
      }
    } catch (StackOverflowError e) {
      owner.health.slowPath = true;
      owner.health.brokenBy = e;
      throw e;
    }
  }

  private boolean lockIfIntact() {
    return tryLock() || await();
  }

  /**
   * Spins, and sleeps between spins, because the holder may need this processor. An interrupted
   * thread would not sleep, so the interrupt is cleared and restored afterwards.
   *
   * @return false if the allocator is broken, because the holder may be gone
   */
  private boolean await() {
    boolean interrupted = false;
    boolean intact = true;
    // Waiting threads only read, so that they do not take the cache line from the holder.
    for (int i = 1; intact && ((int) LOCKED.getOpaque(this) != 0 || !tryLock()); i++) {
      if (i % SPINS == 0) {
        intact = !owner.health.isBroken();
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos(NAP_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return intact;
  }

  public void unlock() {
    LOCKED.setRelease(this, 0);
  }

  // ---- the hot path ----

  /**
   * Allocates a block that fits closely, and counts it under its tag; null if there is none. Called
   * under the lock.
   *
   * @param tag the tag; for none the constant {@code ""}
   */
  @SuppressWarnings("ReferenceEquality") // the constant means no tag
  public @Nullable Block take(long size, long requested, String tag) {
    // Before a block is taken, because this may run out of Java heap.
    TagAccount account = tag == "" ? plain : stats.accountOf(tag);
    Block block = take(size, requested);
    if (block != null) {
      setAccount(block, tag, account);
    }
    return block;
  }

  /** Closes a handle whose block came from this cache, unless another thread has closed it. */
  void close(CachingAllocation handle, Object held, Block block) {
    Block overflow = null;
    boolean simple = block.account == null || (!owner.isObserved && !block.isUsedElsewhere());
    if (!lockIfIntact()) {
      // The close of the allocator returns the memory.
      handle.giveUp(held);
      return;
    }
    try {
      if (!handle.giveUp(held)) {
        return;
      }
      if (simple) {
        overflow = give(block);
      } else {
        block.watch = null;
      }
    } finally {
      unlock();
    }
    if (!simple) {
      owner.backing.free(block);
    } else if (overflow != null) {
      owner.spill(overflow);
    }
  }

  /** Counts the close of a block that becomes pending. */
  public void countPending(long requested, long size, @Nullable TagAccount account) {
    lock();
    try {
      stats.freedPending(requested, size);
      if (account != null && account != TagAccount.NONE) {
        account.freed(size);
      }
    } finally {
      unlock();
    }
  }

  /** Writes the event of a close whose block becomes pending. */
  public void recordFreeRequested(Block block) {
    lock();
    try {
      if (history != null) {
        history.happened(
            HistoryEvent.Action.FREE_REQUESTED,
            block.address,
            block.requested,
            stream.getHandle(),
            block.tag());
      }
    } finally {
      unlock();
    }
  }

  /** Counts a block that came from the heap under its tag, if it has one or events are recorded. */
  public void setTag(Block block, String tag) {
    if (plain == null && tag.isEmpty()) {
      return;
    }
    lock();
    try {
      setAccount(block, tag, tag.isEmpty() ? plain : stats.accountOf(tag));
    } finally {
      unlock();
    }
  }

  // ---- called under the lock, unless stated otherwise ----

  /** Allocates a block that fits closely; null if there is none. */
  @Nullable Block take(long size, long requested) {
    Block block;
    if (frontSize == size) {
      block = numbers.get(front);
      frontSize = 0;
    } else {
      moveFrontToBins();
      block = bins.pop(size, room > leastRoom ? GROWN_REACH : REACH);
      if (block == null) {
        return null;
      }
    }
    return countAllocated(block, requested);
  }

  /** Allocates a block with a larger alignment than every block has; null if there is none. */
  @Nullable Block takeAligned(long size, long requested, long alignment) {
    Block block;
    if (frontSize == size && numbers.get(front).isAligned(alignment)) {
      block = numbers.get(front);
      frontSize = 0;
    } else {
      moveFrontToBins();
      block = bins.popAligned(size, alignment);
      if (block == null) {
        return null;
      }
    }
    return countAllocated(block, requested);
  }

  /** Counts a block as allocated. Stops hits of this cache if the next handle is to be tracked. */
  Block countAllocated(Block block, long requested) {
    stats.allocated(requested, block.size);
    block.requested = requested;
    if (stats.allocations >= unwatched) {
      found = this;
    }
    return block;
  }

  /** Returns whether the latest handle is to be tracked. Approximate, without the lock. */
  public boolean isWatchDue() {
    return stats.allocations > unwatched;
  }

  /** Tracks the handle of a block that came from here. Takes the lock. */
  public void watch(Block block, Object watch) {
    lock();
    try {
      watchNext(owner.backing.nextWatched(stats.allocations));
      if (block.account == null) {
        block.account = TagAccount.NONE;
      }
      block.watch = watch;
    } finally {
      unlock();
    }
  }

  /** Sets the number of the next allocation whose handle is tracked. */
  private void watchNext(long number) {
    unwatched = number - 1;
    found = stats.allocations < unwatched ? stream : this;
  }

  /**
   * Sets the account of a block. Compares first, because the account seldom changes, and a write
   * has a GC barrier.
   */
  private void setAccount(Block block, String tag, @Nullable TagAccount account) {
    if (block.account != account) {
      block.account = account;
    }
    if (account != null) {
      recordAllocated(block, tag, account);
    }
  }

  private void recordAllocated(Block block, String tag, TagAccount account) {
    if (account != TagAccount.NONE) {
      account.allocated(block.size);
    }
    if (history != null) {
      history.happened(
          HistoryEvent.Action.ALLOCATE, block.address, block.requested, stream.getHandle(), tag);
    }
  }

  /** Counts the free of a block that has a tag, a tracker, or events. */
  private void recordFreed(Block block, @Nullable TagAccount account) {
    block.watch = null;
    if (account != null && account != TagAccount.NONE) {
      account.freed(block.size);
    }
    if (history != null) {
      history.freed(block.address, block.requested, stream.getHandle(), block.tag());
    }
  }

  /**
   * Frees a block.
   *
   * @return blocks without room, linked by {@code nextCached}, which the caller passes to {@link
   *     StreamCache#spill}; null if there are none
   */
  public @Nullable Block give(Block block) {
    long size = block.size;
    stats.freed(block.requested, size);
    TagAccount account = block.account;
    // A block older than the history has no account.
    if (account != null || history != null) {
      recordFreed(block, account);
    }
    block.requested = 0;
    block.epoch = owner.progress.epoch();
    if (size > frontLimit && size > largestKept) {
      block.nextCached = null;
      return leaving(block);
    }
    if (!isFilled) {
      setFilled(true);
    }
    Block displaced = frontSize == 0 ? null : clearFront();
    front = block.number;
    frontSize = size;
    if (displaced != null || size > largestKept) {
      return leaving(displaced);
    }
    return bins.bytes() > room - size ? leaving(overflow()) : null;
  }

  /** Enters the gate if the thread carries blocks to the heap, before the lock is released. */
  private @Nullable Block leaving(@Nullable Block overflow) {
    if (overflow != null) {
      stats.left(bytes(), count());
      owner.gate.begin();
    }
    return overflow;
  }

  /** Removes half of the bytes, the largest blocks first. */
  private @Nullable Block overflow() {
    moveFrontToBins();
    return bins.drain(room / 2);
  }

  /** Clears the front. Its block moves to the bins, or is returned if it is too large for them. */
  private @Nullable Block clearFront() {
    Block displaced = frontSize > largestKept ? takeFront(null) : null;
    moveFrontToBins();
    return displaced;
  }

  /** Moves the front block to the bins, unless it is too large for them. */
  private void moveFrontToBins() {
    if (frontSize > 0 && frontSize <= largestKept) {
      bins.push(numbers.get(front));
      frontSize = 0;
    }
  }

  private Block takeFront(@Nullable Block others) {
    Block block = numbers.get(front);
    block.nextCached = others;
    frontSize = 0;
    return block;
  }

  /** Removes blocks, the largest first, until at most {@code keptBytes} are left. */
  @Nullable Block drain(long keptBytes) {
    Block drained = bins.drain(keptBytes);
    Block all = frontSize > 0 && bytes() > keptBytes ? takeFront(drained) : drained;
    stats.left(bytes(), count());
    return all;
  }

  /** Drains the cache into the heap. Takes the lock, and computes the bytes to keep under it. */
  void drainTo(Heap memory, ToLongFunction<ThreadCache> keptBytes) {
    lock();
    Block drained;
    try {
      drained = drain(keptBytes.applyAsLong(this));
    } finally {
      unlock();
    }
    memory.free(drained);
  }

  /** Sets whether a flush empties this cache, and if so registers the cache. */
  void setFilled(boolean now) {
    isFilled = now;
    if (now) {
      owner.backing.filled(this);
    }
  }

  /** Returns whether there was no allocation since the last call. */
  boolean isIdle() {
    boolean idle = stats.allocations == agedAllocations;
    agedAllocations = stats.allocations;
    return idle;
  }

  public long bytes() {
    return bins.bytes() + frontSize;
  }

  public int count() {
    return bins.count() + (frontSize > 0 ? 1 : 0);
  }
}
