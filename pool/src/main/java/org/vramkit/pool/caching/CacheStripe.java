package org.vramkit.pool.caching;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;

/**
 * The first tier: blocks of one stream near at hand for the threads that share a stripe, with the
 * books of what those threads took and gave back.
 *
 * <p>Threads are dealt over stripes by their number, so a stripe is nearly always one thread's own
 * and its lock is free. Nobody waits for it on the hot path: a thread that finds it taken goes to
 * the next tier. Only a flush, which comes from another thread under pressure, waits, and the lock
 * is held for a few instructions at a time.
 */
final class CacheStripe {
  private static final VarHandle LOCKED;

  static {
    try {
      LOCKED = MethodHandles.lookup().findVarHandle(CacheStripe.class, "locked", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The largest block that a cache with earned room keeps. */
  private static final long LARGEST_EARNED = 64 * ByteSize.MIB;

  /** And only one of which it has room for so many. */
  private static final int FEWEST_EARNED = 4;

  /** Classes of larger blocks that may serve a request: at most 1/8 larger. */
  private static final int NEAR = 1;

  /** The same where time counts more than memory: at most half as large again, and rarely. */
  private static final int FAR = 8;

  @SuppressWarnings("unused") // by LOCKED
  private int locked;

  private final BlockBins bins;
  private final long room;
  private final long largestBlock;
  private final CacheCredit credit;
  final LiveBooks books;

  CacheStripe(long room, long largestBlock, CacheCredit credit, LiveGauge gauge) {
    this.bins = new BlockBins(Math.max(largestBlock, LARGEST_EARNED));
    this.room = room;
    this.largestBlock = largestBlock;
    this.credit = credit;
    this.books = new LiveBooks(gauge, credit);
  }

  boolean tryLock() {
    return (int) LOCKED.getOpaque(this) == 0 && LOCKED.compareAndSet(this, 0, 1);
  }

  void lock() {
    while (!tryLock()) {
      LockSupport.parkNanos(1_000);
    }
  }

  void unlock() {
    LOCKED.setRelease(this, 0);
  }

  /** A block that fits closely, or null. Locked by the caller. */
  @Nullable Block take(long size) {
    long earned = credit.earnedRoom();
    return size <= largestKept(earned) ? bins.pop(size, earned == 0 ? NEAR : FAR) : null;
  }

  /** Keeps a block if it has room. Locked by the caller. */
  boolean keep(Block block) {
    long earned = credit.earnedRoom();
    if (block.size > largestKept(earned) || block.size > capacity(earned)) {
      return false;
    }
    bins.push(block);
    return true;
  }

  /** Blocks beyond the capacity, linked. Locked by the caller. */
  @Nullable Block overflow() {
    long earned = credit.earnedRoom();
    long capacity = capacity(earned);
    if (bins.bytes() <= capacity) {
      return null;
    }
    return earned == 0 ? bins.drain(capacity / 2) : bins.thin(capacity / 8 * 7);
  }

  private long largestKept(long earned) {
    return Math.max(largestBlock, Math.min(LARGEST_EARNED, earned / FEWEST_EARNED));
  }

  private long capacity(long earned) {
    return room == 0 ? 0 : room + earned;
  }

  /** All blocks, linked. Locked by the caller. */
  @Nullable Block drain() {
    return bins.drain(0);
  }

  /** Bytes kept. Locked by the caller. */
  long bytes() {
    return bins.bytes();
  }

  /** Blocks kept. Locked by the caller. */
  int count() {
    return bins.count();
  }
}
