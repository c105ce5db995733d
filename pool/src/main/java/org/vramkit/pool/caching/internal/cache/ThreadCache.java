package org.vramkit.pool.caching.internal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.BlockHome;
import org.vramkit.pool.caching.internal.heap.HandleWatch;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.history.HistoryWriter;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.stats.TagAccount;
import org.vramkit.pool.caching.internal.stats.ThreadCacheStatistics;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.Padded;

/**
 * The first tier: free blocks of one stream for one group of threads, and the statistics of what
 * those threads took and gave back.
 *
 * <p>Threads are dealt to groups by their number. So a cache is nearly always one thread's own, and
 * its lock is free. A thread that finds the lock taken when it allocates goes to the next cache. A
 * block goes back to the cache that it was taken from, whichever thread closes it. It comes back to
 * those who want it, and the lock of that cache alone decides who closed it. Whoever has to wait
 * for the lock, because of a flush or a close by another thread, waits for a few instructions.
 *
 * <p>A cache that is too full gives half of what it keeps to the heap, the largest blocks first.
 *
 * <p>A cache has room for a few MiB of small blocks. Where threads wait for each other at the heap,
 * each wait doubles the room, up to a part of what the users of the cache hold, and then larger
 * blocks stay too. A miss for which the heap has no memory halves the room again. So a program of
 * one thread keeps little, and one of many threads pays with memory for not standing in line.
 */
public final class ThreadCache extends Padded implements ThreadCacheStatistics.Lock, BlockHome {
  private static final VarHandle LOCKED;

  static {
    try {
      LOCKED = MethodHandles.lookup().findVarHandle(ThreadCache.class, "locked", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Classes of larger blocks that may serve a request: at most 1/8 larger. */
  private static final int REACH = 1;

  /** The same of a cache that has grown: at most 9/16 larger. */
  private static final int GROWN_REACH = 8;

  /** A cache that has grown keeps blocks up to this size. */
  private static final long LARGEST_GROWN = 8 * ByteSize.MIB;

  /** A cache grows up to one part in so many of what its users hold. */
  private static final int LIVE_PARTS = 4;

  /** How often a thread that wants the lock looks before it sleeps. */
  private static final int SPINS = 100;

  private static final long NAP_NANOS = 1_000;

  @SuppressWarnings("unused") // by LOCKED
  private int locked;

  /**
   * The newest block, so that a program that wants one size in turn searches nothing. It may be of
   * any size: one too large for the bins serves its own size until another one takes its place.
   */
  private int front;

  /** Its size; 0 for none. */
  private long frontSize;

  public final StreamCache heap;

  /** The object that the heap was made for. */
  final Stream stream;

  /**
   * The same, by which {@link StreamCaches#findCache} finds this cache; what is no stream at all,
   * not even null, while it hides, because the next handle is to be watched: a hit need not ask
   * then, as nobody comes here but by way of the miss. Read without the lock too, where a late look
   * is soon enough.
   */
  Object found = this;

  public final ThreadCacheStatistics books;

  /** Notes what happens here; null while no history is kept. Guarded by the lock. */
  private @Nullable HistoryWriter history;

  /** The handle of the next block after so many allocations is watched. */
  private long unwatched;

  /** The account of what has no tag: none, unless somebody hears of events. */
  private @Nullable TagAccount plain;

  private long agedAllocations;
  private final Block.Table numbers;
  private final BlockBins bins;
  private final long leastRoom;
  private final long largestBlock;
  private final long largestFront;

  /** The most bytes that the bins keep. */
  private long room;

  /** Whether threads waited for each other at the heap since it was last to shrink. */
  private boolean isContended;

  /** The largest block that is kept in the bins; -1 while frozen. */
  private long largestKept;

  /** The largest block that is kept in front; -1 while frozen. */
  private long frontLimit;

  /** Whether it is among those that a flush empties. */
  private boolean isFilled;

  /** The next of those: see {@link StreamCaches#filled}. */
  @Nullable ThreadCache nextFilled;

  ThreadCache(
      StreamCache heap, StreamCache.Settings settings, UsageGauge gauge, Block.Table numbers) {
    this.numbers = numbers;
    this.heap = heap;
    this.stream = heap.stream;
    this.bins = new BlockBins(LARGEST_GROWN, numbers);
    this.leastRoom = settings.capacity();
    this.largestBlock = Math.min(leastRoom, SizeRules.SMALL_LIMIT);
    this.largestFront = leastRoom == 0 ? 0 : Math.max(largestBlock, settings.largestFront());
    this.books = new ThreadCacheStatistics(gauge, this);
    setHistory(heap.backing.newHistoryWriter(stream));
    watchNext(heap.backing.nextWatched(0));
    thaw();
  }

  /** Begins a history, or ends one with null. Locked. */
  void setHistory(@Nullable HistoryWriter writer) {
    if (history != null) {
      history.end();
    }
    history = writer;
    plain = writer == null && !heap.isObserved ? null : TagAccount.NONE;
  }

  /**
   * Keeps nothing more until it is thawed: once it is drained, every allocation looks behind this
   * tier. Locked.
   *
   * @return 0, the bytes to keep
   */
  long freeze() {
    setRoom(leastRoom);
    largestKept = -1;
    frontLimit = -1;
    return 0;
  }

  /** Keeps blocks again. Locked. */
  void thaw() {
    setRoom(leastRoom);
    frontLimit = largestFront;
  }

  private void setRoom(long bytes) {
    room = bytes;
    books.setRoom(bytes > leastRoom ? bytes : 0);
    largestKept = bytes > leastRoom ? LARGEST_GROWN : largestBlock;
  }

  /** Keeps more, because threads wait for each other at the heap. Locked. */
  void grow() {
    isContended = true;
    long most = books.allocated() / LIVE_PARTS;
    if (largestKept > 0 && room < most) {
      setRoom(Math.min(2 * room, most));
    }
  }

  /**
   * Begins anew with little room, where memory is scarce. Locked.
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
   * Keeps less, because the heap has no memory that fits; but not if threads have waited for each
   * other since this was last asked. Locked.
   *
   * @return the bytes to keep; 0 if it has not grown
   */
  long shrink() {
    if (room > leastRoom && !isContended) {
      setRoom(Math.max(leastRoom, room / 2));
    }
    isContended = false;
    return room > leastRoom ? room : 0;
  }

  /** The stripe that a block was taken from by its user. */
  public static ThreadCache of(Block block) {
    if (block.home instanceof ThreadCache stripe) {
      return stripe;
    }
    throw new IllegalStateException(
        "block at 0x" + Long.toHexString(block.address) + " has no stripe");
  }

  @Override
  public boolean tryLock() {
    return LOCKED.compareAndSet(this, 0, 1);
  }

  public void lock() {
    if (!tryLock()) {
      lockPatiently();
    }
  }

  /**
   * Sleeps between looks, because the holder may need this processor to go on. An interrupted
   * thread would not sleep: the interrupt waits until the lock is there.
   */
  private void lockPatiently() {
    boolean interrupted = false;
    // Whoever waits only reads until it is free, and takes the line from nobody.
    for (int i = 1; (int) LOCKED.getOpaque(this) != 0 || !tryLock(); i++) {
      if (i % SPINS == 0) {
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos(NAP_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void unlock() {
    LOCKED.setRelease(this, 0);
  }

  // ---- the hot path ----

  /**
   * A block that fits closely, entered in the books and under its tag; null if there is none.
   * Locked.
   *
   * @param tag empty, and then the constant, for none
   */
  @SuppressWarnings("ReferenceEquality") // whoever has no tag says so by one object
  public @Nullable Block take(long size, long requested, String tag) {
    // Before a block is taken: it may need memory of the JVM.
    TagAccount account = tag == "" ? plain : books.accountOf(tag);
    Block block = take(size, requested);
    if (block != null) {
      name(block, tag, account);
    }
    return block;
  }

  /**
   * Closes a handle whose block was taken from here, unless another thread has.
   *
   * @param held the block, or by way of what the handle holds it
   */
  void close(CachingAllocation handle, Object held, Block block) {
    Block overflow = null;
    boolean simple = block.account == null || (!heap.isObserved && !block.isUsedElsewhere());
    if (!simple) {
      // Before the handle gives the block up: one that is closed has no second try.
      ArenaGate.requireStack();
    }
    lock();
    try {
      if (!handle.giveUp(held)) {
        return;
      }
      if (simple) {
        overflow = give(block);
      } else {
        endWatch(block);
      }
    } finally {
      unlock();
    }
    if (!simple) {
      heap.backing.free(block);
    } else if (overflow != null) {
      heap.spill(overflow);
    }
  }

  /** Takes a closed block out of the books that waits for other streams. */
  public void discharge(long requested, long size, @Nullable TagAccount account) {
    lock();
    try {
      books.discharged(requested, size);
      if (account != null && account != TagAccount.NONE) {
        account.freed(size);
      }
    } finally {
      unlock();
    }
  }

  /** Notes that a block is about to wait for other streams. */
  public void noteFreeRequested(Block block) {
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

  /** Enters the name of a block that came from behind this tier, if anything is to be done. */
  public void enterName(Block block, String tag) {
    if (plain == null && tag.isEmpty()) {
      return;
    }
    lock();
    try {
      name(block, tag, tag.isEmpty() ? plain : books.accountOf(tag));
    } finally {
      unlock();
    }
  }

  // ---- all below: locked by the caller ----

  /** A block that fits closely, entered in the books, or null. */
  @Nullable Block take(long size, long requested) {
    Block block;
    if (frontSize == size) {
      block = numbers.get(front);
      frontSize = 0;
    } else {
      putAway();
      block = bins.pop(size, room > leastRoom ? GROWN_REACH : REACH);
      if (block == null) {
        return null;
      }
    }
    return handedOut(block, requested);
  }

  /** The same for one that begins at a multiple of so much, more than every block does. */
  @Nullable Block takeAligned(long size, long requested, long alignment) {
    Block block;
    if (frontSize == size && numbers.get(front).isAligned(alignment)) {
      block = numbers.get(front);
      frontSize = 0;
    } else {
      putAway();
      block = bins.popAligned(size, alignment);
      if (block == null) {
        return null;
      }
    }
    return handedOut(block, requested);
  }

  /** Enters a block in the books, and hides where the handle of the next one is to be watched. */
  Block handedOut(Block block, long requested) {
    books.allocated(requested, block.size);
    block.requested = requested;
    if (books.allocations >= unwatched) {
      found = this;
    }
    return block;
  }

  private static void endWatch(Block block) {
    HandleWatch watch = block.watch;
    if (watch != null) {
      watch.closed();
      block.watch = null;
    }
  }

  /** Whether the handle of the block taken last is to be watched; about, without the lock. */
  public boolean isWatchDue() {
    return books.allocations > unwatched;
  }

  /** Watches the handle of a block that was taken from here. */
  public void watch(Block block, HandleWatch watch) {
    lock();
    try {
      watchNext(heap.backing.nextWatched(books.allocations));
      if (block.account == null) {
        block.account = TagAccount.NONE;
      }
      block.watch = watch;
    } finally {
      unlock();
    }
  }

  /** Watches the handle of one allocation, by its number, and hides before it. */
  private void watchNext(long number) {
    unwatched = number - 1;
    found = books.allocations < unwatched ? stream : this;
  }

  /** Compares first, because a block mostly has the account, and a write of a reference costs. */
  private void name(Block block, String tag, @Nullable TagAccount account) {
    if (block.account != account) {
      block.account = account;
    }
    if (account != null) {
      noteAllocated(block, tag, account);
    }
  }

  private void noteAllocated(Block block, String tag, TagAccount account) {
    if (account != TagAccount.NONE) {
      account.allocated(block.size);
    }
    if (history != null) {
      history.allocated(block.address, block.requested, stream.getHandle(), tag);
    }
  }

  /** A block is closed that has a tag, or a watch, or whose events are noted. */
  private void noteFreed(Block block, @Nullable TagAccount account) {
    if (account != null) {
      endWatch(block);
    }
    if (account != null && account != TagAccount.NONE) {
      account.freed(block.size);
    }
    if (history != null) {
      history.freed(block.address, block.requested, stream.getHandle(), block.tag());
    }
  }

  /**
   * Takes a block back from its user.
   *
   * @return what there is no room for, linked by {@code nextCached}, to be {@link StreamCache#spill
   *     spilled}; or null
   */
  public @Nullable Block give(Block block) {
    long size = block.size;
    books.freed(block.requested, size);
    TagAccount account = block.account;
    // A block that is older than the history has no account.
    if (account != null || history != null) {
      noteFreed(block, account);
    }
    block.requested = 0;
    block.epoch = heap.progress.epoch();
    if (size > frontLimit && size > largestKept) {
      block.nextCached = null;
      return leaving(block);
    }
    if (!isFilled) {
      setFilled(true);
    }
    Block displaced = frontSize == 0 ? null : makeWay();
    front = block.number;
    frontSize = size;
    if (displaced != null || size > largestKept) {
      return leaving(displaced);
    }
    return bins.bytes() > room - size ? leaving(overflow()) : null;
  }

  /** Counts who is about to carry blocks to the next tier, before the books can be seen without. */
  private @Nullable Block leaving(@Nullable Block overflow) {
    if (overflow != null) {
      heap.gate.begin();
    }
    return overflow;
  }

  /** Half of what is kept, the largest blocks first. */
  private @Nullable Block overflow() {
    putAway();
    return bins.drain(room / 2);
  }

  /** Makes room in front; returns the block there if it is too large for the bins. */
  private @Nullable Block makeWay() {
    Block displaced = frontSize > largestKept ? takeFront(null) : null;
    putAway();
    return displaced;
  }

  /** Makes room in front, unless the block there is too large for the bins. */
  private void putAway() {
    if (frontSize > 0 && frontSize <= largestKept) {
      bins.push(numbers.get(front));
      frontSize = 0;
    }
  }

  /** Takes the block in front out, linked to others. */
  private Block takeFront(@Nullable Block others) {
    Block block = numbers.get(front);
    block.nextCached = others;
    frontSize = 0;
    return block;
  }

  /**
   * Takes blocks out until so many bytes are left, the largest first.
   *
   * @return the blocks, linked
   */
  @Nullable Block drain(long keptBytes) {
    Block drained = bins.drain(keptBytes);
    return frontSize > 0 && bytes() > keptBytes ? takeFront(drained) : drained;
  }

  /** Drains the cache into the heap; what it keeps is asked under the lock. */
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

  /** It is among those that a flush empties, or no more. Locked. */
  void setFilled(boolean now) {
    isFilled = now;
    if (now) {
      heap.backing.filled(this);
    }
  }

  /** Nobody uses it any more. */
  public void end() {
    books.settle();
    if (history != null) {
      history.end();
    }
  }

  /** Whether nothing was taken from here since this was last asked. */
  boolean isIdle() {
    boolean idle = books.allocations == agedAllocations;
    agedAllocations = books.allocations;
    return idle;
  }

  /** Bytes kept. */
  long bytes() {
    return bins.bytes() + frontSize;
  }

  /** Blocks kept. */
  int count() {
    return bins.count() + (frontSize > 0 ? 1 : 0);
  }
}
