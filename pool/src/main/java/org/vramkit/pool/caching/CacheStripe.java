package org.vramkit.pool.caching;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

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

  @SuppressWarnings("unused") // by LOCKED
  private int locked;

  private final BlockBins bins;
  private final long capacity;
  private final long largestBlock;
  final LiveBooks books;

  CacheStripe(long capacity, long largestBlock, LiveGauge gauge) {
    this.bins = new BlockBins(largestBlock, true);
    this.capacity = capacity;
    this.largestBlock = largestBlock;
    this.books = new LiveBooks(gauge);
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
    return size <= largestBlock ? bins.pop(size) : null;
  }

  /** Keeps a block if it has room. Locked by the caller. */
  boolean keep(Block block) {
    if (block.size > largestBlock || block.size > capacity) {
      return false;
    }
    bins.push(block);
    return true;
  }

  /** Blocks beyond the capacity, half of it at a time, linked. Locked by the caller. */
  @Nullable Block overflow() {
    return bins.bytes() > capacity ? bins.drain(capacity / 2) : null;
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
