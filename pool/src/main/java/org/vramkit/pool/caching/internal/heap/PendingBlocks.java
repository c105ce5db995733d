package org.vramkit.pool.caching.internal.heap;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.PendingUses;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.StreamPoint;
import org.vramkit.pool.support.StreamProgress;

/**
 * Blocks that were closed while other streams had been recorded as users. They wait in {@link
 * PendingUses}, on the clocks that the heap queries too.
 *
 * <p>A closed block is never lost. It is linked to those that have arrived, which needs no memory
 * of the JVM, then queued, then linked to those that have passed. If a step fails, the block stays
 * in its place, and the next poll continues from there.
 *
 * <p>A close marks its streams under the lock, so that no mark meets a capture that begins under
 * it. All other calls of the driver are made without the lock. No hit needs it.
 */
public final class PendingBlocks {
  /** Guards the blocks here. Before the locks of the heap and of thread caches. */
  public final ReentrantLock lock = new ReentrantLock();

  private final StreamClocks clocks;
  private final UsageGauge gauge;
  private final PoolObserver observer;
  private final PendingUses<Block> uses;

  /** Closed and not queued yet, linked by {@code nextCached}. */
  private @Nullable Block firstArrived;

  /** Passed by all their users and not taken yet, linked by {@code nextCached}. */
  private @Nullable Block firstPassed;

  private volatile int count;

  /**
   * Creates an empty one.
   *
   * @param observer hears which blocks can be used again
   */
  public PendingBlocks(StreamClocks clocks, UsageGauge gauge, PoolObserver observer) {
    this.clocks = clocks;
    this.gauge = gauge;
    this.observer = observer;
    this.uses = new PendingUses<>(clocks, lock, block -> block.size, this::passed);
  }

  /** Returns whether there is no block; takes no lock. */
  public boolean isEmpty() {
    return count == 0;
  }

  /**
   * Keeps a block until the streams that use it have passed this point. It is kept also where this
   * throws.
   */
  public void add(Block block) {
    lock.lock();
    try {
      block.pending = true;
      block.nextCached = firstArrived;
      firstArrived = block;
      changeCount(1);
      queueArrived();
    } finally {
      lock.unlock();
    }
  }

  private void changeCount(int change) {
    int before = count;
    count = before + change;
  }

  private void queueArrived() {
    lock.lock();
    try {
      for (Block block = firstArrived; block != null; block = firstArrived) {
        List<StreamPoint> points = clocks.now(block.uses());
        Block rest = block.nextCached;
        uses.addPoints(block, points);
        // From here on nothing needs memory of the JVM.
        firstArrived = rest;
        block.nextCached = null;
        block.clearUses();
        uses.mark(points);
      }
    } finally {
      lock.unlock();
    }
  }

  private void passed(Block block) {
    block.nextCached = firstPassed;
    firstPassed = block;
  }

  /**
   * Takes blocks whose streams have all passed, linked by {@code nextCached}. Asks some streams, as
   * {@link PendingUses#pollSoon} does. Where that fails and some are ready already, these are
   * returned, and a later call meets the failure again.
   */
  public @Nullable Block poll() {
    return isEmpty() ? null : poll(uses::pollSoon);
  }

  /** Does the same, and asks every stream. */
  public @Nullable Block pollAll() {
    return isEmpty() ? null : poll(uses::pollAll);
  }

  private @Nullable Block poll(Runnable question) {
    try {
      queueArrived();
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

  /** Reports each before it leaves, so that one whose report fails waits for the next call. */
  private @Nullable Block takePassed() {
    Block ready = null;
    Block last = null;
    lock.lock();
    try {
      for (Block block = firstPassed; block != null; block = firstPassed) {
        observer.freeCompleted(block.address, block.requested, block.owner().stream, block.tag());
        firstPassed = block.nextCached;
        changeCount(-1);
        gauge.pendingRemoved(block.size);
        block.requested = 0;
        block.pending = false;
        block.nextCached = null;
        if (last == null) {
          ready = block;
        } else {
          last.nextCached = block;
        }
        last = block;
      }
    } catch (RuntimeException | Error e) {
      if (ready == null) {
        throw e;
      }
    } finally {
      lock.unlock();
    }
    return ready;
  }

  /**
   * Waits on the host for one block: the smallest that is large enough, else the one that was
   * closed first. {@link #poll} then has it, unless another thread was first, and asks for what a
   * closed stream uses, as this may be called where a capture may begin.
   *
   * @return false if no block is pending that may be waited for
   */
  public boolean awaitCheapest(long size) {
    queueArrived();
    return hasPassed() || uses.awaitCheapestIfOpen(size);
  }

  /** Returns whether a block is pending that may be waited for, or has passed already. */
  public boolean isAwaitable() {
    queueArrived();
    return hasPassed() || uses.oldest() != null;
  }

  private boolean hasPassed() {
    lock.lock();
    try {
      return firstPassed != null;
    } finally {
      lock.unlock();
    }
  }

  /** Blocks that wait for a stream that may not be waited for now. */
  Set<Block> heldUp() {
    queueArrived();
    return uses.heldUp();
  }

  /** Returns whether a stream may not be asked, marked or waited for now. */
  boolean isUnasked(Stream stream) {
    return clocks.isUnasked(stream);
  }

  /** Returns whether a block waits for the stream of a clock. */
  public boolean isAwaited(StreamProgress clock) {
    return uses.isAwaited(clock);
  }

  /** Bytes that wait for each stream, by its name. */
  public Map<String, Long> bytesByStream() {
    return isEmpty() ? Map.of() : uses.bytesByStream();
  }

  /** Pending bytes of the blocks of one stream. */
  public long bytesOf(StreamState owner) {
    if (isEmpty()) {
      return 0;
    }
    Predicate<Block> its = block -> block.heap == owner;
    lock.lock();
    try {
      return uses.bytesOf(its) + bytesOf(firstArrived, its) + bytesOf(firstPassed, its);
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
