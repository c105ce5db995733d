package org.vramkit.pool.caching.internal.heap;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.PendingUses;
import org.vramkit.pool.support.PoolHealth;
import org.vramkit.pool.support.PoolLock;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.StreamProgress;

/**
 * Closed blocks with recorded uses by other streams. They wait in {@link PendingUses}, which shares
 * the clocks of streams with the heap.
 *
 * <p>A close records the events of its streams under the lock. A capture begins under the same
 * lock, so a close never records an event into a captured stream. All other driver calls are made
 * without the lock, and a hit never takes it.
 */
public final class PendingBlocks {
  /**
   * Guards the lists and {@code uses}. Acquired before the locks of the heap and of thread caches.
   */
  public final PoolLock lock;

  private final StreamClocks clocks;
  private final UsageGauge gauge;
  private final PoolObserver observer;
  private final PendingUses<Block> uses;

  /**
   * Blocks that all streams have passed and no poll has taken yet, linked by {@code nextCached}.
   */
  private @Nullable Block firstPassed;

  private volatile int count;

  /**
   * Creates an empty set.
   *
   * @param observer notified of each block that can be reused
   */
  public PendingBlocks(
      PoolHealth health, StreamClocks clocks, UsageGauge gauge, PoolObserver observer) {
    this.lock = new PoolLock(health);
    this.clocks = clocks;
    this.gauge = gauge;
    this.observer = observer;
    this.uses = new PendingUses<>(lock, block -> block.size, this::passed);
  }

  /** Returns whether no block waits. Takes no lock. */
  public boolean isEmpty() {
    return count == 0;
  }

  /**
   * Adds a block, which waits until the streams that use it have passed this point. If this throws,
   * the block has been added nevertheless.
   */
  public void add(Block block) {
    lock.lock();
    try {
      block.pending = true;
      List<StreamPoint> points = clocks.now(block.uses());
      block.clearUses();
      changeCount(1);
      uses.add(block, points);
      uses.mark(points);
    } finally {
      lock.unlock();
    }
  }

  private void changeCount(int change) {
    assert lock.isHeldByCurrentThread();
    int before = count;
    count = before + change;
  }

  private void passed(Block block) {
    block.nextCached = firstPassed;
    firstPassed = block;
  }

  /**
   * Takes the blocks that all their streams have passed, linked by {@code nextCached}; null if
   * there are none. Queries some streams, as {@link PendingUses#pollSoon} does. If a query fails,
   * returns the blocks that are ready; throws only if there are none.
   */
  public @Nullable Block poll() {
    return isEmpty() ? null : poll(uses::pollSoon);
  }

  /** Does the same as {@link #poll}, but queries every stream. */
  public @Nullable Block pollAll() {
    return isEmpty() ? null : poll(uses::pollAll);
  }

  private @Nullable Block poll(Runnable question) {
    try {
      question.run();
    } catch (RuntimeException | Error e) {
      Block ready = takePassed();
      if (ready == null) {
        throw e;
      }
      return ready;
    }
    return takePassed();
  }

  /** Takes the passed blocks, and reports each to the observer. */
  private @Nullable Block takePassed() {
    lock.lock();
    try {
      Block ready = firstPassed;
      firstPassed = null;
      for (Block block = ready; block != null; block = block.nextCached) {
        observer.freeCompleted(block.address, block.requested, block.owner().stream, block.tag());
        changeCount(-1);
        gauge.pendingRemoved(block.size);
        block.requested = 0;
        block.pending = false;
      }
      return ready;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits on the host for one block: the smallest that is large enough, else the one that was
   * closed first. The next {@link #poll} returns the block, unless another thread took it. Does not
   * wait for a closed stream, because a capture may begin meanwhile; the poll does.
   *
   * @return false if there is no block that may be waited for
   */
  public boolean awaitCheapest(long size) {
    // Another thread's query may let the last waiting block pass between the first two.
    return hasPassed() || uses.awaitCheapestIfOpen(size) || hasPassed();
  }

  /** Returns whether a block has passed already, or may be waited for. */
  public boolean isAwaitable() {
    // In this order, because another thread's query may let the last waiting block pass meanwhile.
    return uses.oldest() != null || hasPassed();
  }

  private boolean hasPassed() {
    lock.lock();
    try {
      return firstPassed != null;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the blocks that wait for a stream which may not be waited for now. */
  Set<Block> heldUp() {
    return uses.heldUp();
  }

  /** Returns whether a stream must not be queried, marked or waited for now. */
  boolean isUnqueryable(Stream stream) {
    return clocks.isUnqueryable(stream);
  }

  public boolean isAwaited(StreamProgress clock) {
    return uses.isAwaited(clock);
  }

  /** Returns the streams that blocks wait for. */
  public List<Stream> streams() {
    return uses.streams();
  }

  /** Returns the bytes that wait for each stream, by the stream's name. */
  public Map<String, Long> bytesByStream() {
    return isEmpty() ? Map.of() : uses.bytesByStream();
  }

  public long bytesOf(StreamState owner) {
    if (isEmpty()) {
      return 0;
    }
    Predicate<Block> its = block -> block.streamState == owner;
    lock.lock();
    try {
      return uses.bytesOf(its) + bytesOf(firstPassed, its);
    } finally {
      lock.unlock();
    }
  }

  private static long bytesOf(@Nullable Block first, Predicate<Block> its) {
    long bytes = 0;
    for (Block block = first; block != null; block = block.nextCached) {
      bytes += its.test(block) ? block.size : 0;
    }
    return bytes;
  }
}
