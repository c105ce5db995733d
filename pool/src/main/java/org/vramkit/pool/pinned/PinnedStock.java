package org.vramkit.pool.pinned;

import java.util.List;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.FreeLists;
import org.vramkit.pool.support.InFlight;
import org.vramkit.pool.support.PoolLock;

/**
 * The page-locked buffers that nobody holds, and the figures.
 *
 * <p>One lock guards both; the driver is never called under it. A buffer on its way to or from the
 * driver is in no list. The thread that has it is counted as under way until it calls {@link
 * #arrive}, so that whoever finds nothing left to give up can wait for it.
 */
final class PinnedStock {
  private final long byteLimit;
  private final PoolLock lock = new PoolLock();

  /** Signalled when {@code changes} grows. */
  private final Condition changed = lock.newCondition();

  private final FreeLists<Long, CachedPinned> free;

  /** Closed buffers that copies still use. */
  private final InFlight<CachedPinned> inFlight;

  /** All that the host gave, and what is being asked of it; never above the limit. */
  private long lockedBytes;

  /** How much of that users hold or are about to. */
  private long heldBytes;

  /** Threads that wait for copies or give memory back, with buffers that are in no list. */
  private int underway;

  /** How often buffers came in or threads arrived. */
  private long changes;

  private long hits;
  private long misses;
  private boolean closed;

  PinnedStock(long byteLimit, HostEdge edge) {
    this.byteLimit = byteLimit;
    this.free = new FreeLists<>(CachedPinned::size, edge);
    this.inFlight = new InFlight<>(lock, CachedPinned::size, buffer -> buffer.uses, this::settled);
  }

  /** Nothing uses a buffer any more. Locked. */
  private void settled(CachedPinned buffer) {
    free.add(buffer.size(), buffer);
    change();
  }

  /** A free buffer of this size; null if there is none. */
  @Nullable CachedPinned take(long size) {
    CachedPinned found = takeFree(size);
    if (found == null && isAnyInFlight()) {
      inFlight.settleUntil(() -> free.count(size) > 0);
      found = takeFree(size);
    }
    return found;
  }

  private @Nullable CachedPinned takeFree(long size) {
    lock.lock();
    try {
      requireOpen();
      CachedPinned found = free.take(size);
      if (found != null) {
        hits++;
        heldBytes += size;
      }
      return found;
    } finally {
      lock.unlock();
    }
  }

  private boolean isAnyInFlight() {
    return lock.get(() -> !inFlight.isEmpty());
  }

  private void requireOpen() {
    if (closed) {
      throw new ClosedException(
          "the pool of page-locked buffers", "it gives no buffers any more", "make a new one");
    }
  }

  /** Whether what users hold leaves so much of the limit; else no wait and no release helps. */
  boolean leaves(long size) {
    return lock.get(() -> heldBytes <= byteLimit - size);
  }

  /**
   * Claims bytes under the limit for memory that is to be taken from the host.
   *
   * @return 0 if they are claimed, else how many bytes too many are locked
   */
  long claim(long size) {
    lock.lock();
    try {
      long excess = Math.max(0, lockedBytes - (byteLimit - size));
      if (excess == 0) {
        lockedBytes += size;
        heldBytes += size;
      }
      return excess;
    } finally {
      lock.unlock();
    }
  }

  /** The host gave the memory that was claimed; refuses it if the pool was closed meanwhile. */
  void countMiss() {
    lock.perform(
        () -> {
          requireOpen();
          misses++;
        });
  }

  /** It did not. */
  void unclaim(long size) {
    lock.perform(
        () -> {
          lockedBytes -= size;
          heldBytes -= size;
        });
  }

  /**
   * Takes free buffers of so many bytes out, the least recently used first, to be given up. If
   * there are any, the thread is under way.
   */
  List<CachedPinned> giveUp(long bytes) {
    return lock.get(
        () -> {
          List<CachedPinned> spare = free.evictTo(Math.max(0, free.bytes() - bytes));
          underway += spare.isEmpty() ? 0 : 1;
          return spare;
        });
  }

  /** How often anything changed that may help who finds no memory. */
  long changes() {
    return lock.get(() -> changes);
  }

  /**
   * Waits until there may be a free buffer: for the copy whose buffer was closed first, else for
   * another thread that is under way.
   *
   * @param seen the changes when memory was looked for
   * @return false if there is neither, and nothing has changed since
   */
  boolean awaitFree(long seen) {
    inFlight.settleAll();
    return changes() != seen || inFlight.awaitOldest() || awaitUnderway(seen);
  }

  private boolean awaitUnderway(long seen) {
    lock.lock();
    try {
      if (changes == seen && underway > 0) {
        awaitChange();
      }
      return changes != seen;
    } finally {
      lock.unlock();
    }
  }

  private void awaitChange() {
    long seen = changes;
    while (changes == seen) {
      changed.awaitUninterruptibly();
    }
  }

  private void change() {
    changes++;
    changed.signalAll();
  }

  /** Takes free buffers out, so that so many bytes of them stay. The thread is under way then. */
  List<CachedPinned> startTrim(long keepBytes) {
    inFlight.settleAll();
    return lock.get(
        () -> {
          underway++;
          return free.evictTo(keepBytes);
        });
  }

  /** Takes all buffers out, and no more in. The thread is under way then. */
  List<CachedPinned> startClose() {
    return lock.get(
        () -> {
          closed = true;
          underway++;
          List<CachedPinned> all = free.evictTo(0);
          all.addAll(inFlight.takeAll());
          return all;
        });
  }

  /**
   * Takes a buffer in that was in no list.
   *
   * @param bytesHeld its bytes if a user held it, else 0
   * @return whether it was taken; if not, the stock is closed and the thread under way
   */
  boolean comeIn(CachedPinned buffer, long bytesHeld) {
    lock.lock();
    try {
      heldBytes -= bytesHeld;
      if (closed) {
        underway++;
        return false;
      }
      inFlight.add(buffer);
      change();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Keeps a buffer whose copies could not be waited for, even if the stock is closed. */
  void keepInFlight(CachedPinned buffer) {
    lock.perform(
        () -> {
          inFlight.add(buffer);
          change();
        });
  }

  /** A buffer went back to the host. */
  void leave(CachedPinned buffer) {
    lock.perform(() -> lockedBytes -= buffer.size());
  }

  /** This thread is not under way any more. */
  void arrive() {
    lock.perform(
        () -> {
          underway--;
          change();
        });
  }

  /** Waits until no thread is under way. */
  void awaitOthers() {
    lock.perform(
        () -> {
          while (underway > 0) {
            changed.awaitUninterruptibly();
          }
        });
  }

  long lockedBytes() {
    return lock.get(() -> lockedBytes);
  }

  long heldBytes() {
    return lock.get(() -> heldBytes);
  }

  long freeBytes() {
    inFlight.settleAll();
    return lock.get(free::bytes);
  }

  long hits() {
    return lock.get(() -> hits);
  }

  long misses() {
    return lock.get(() -> misses);
  }
}
