package org.vramkit.pool.buffer;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.FreeLists;
import org.vramkit.pool.support.InFlight;
import org.vramkit.pool.support.OutOfMemoryRetry;
import org.vramkit.pool.support.PoolEdge;
import org.vramkit.pool.support.PoolLock;
import org.vramkit.pool.support.Refusals;
import org.vramkit.pool.support.Streams;

/**
 * The buffers of one device that nobody holds: free ones, and ones that other streams still use.
 *
 * <p>{@code lock} guards both, and the driver is never called under it. Leaf: nothing else is
 * locked under it but the uses of a buffer that is here.
 */
final class DeviceCache {
  private static final long FIRST_CROWD = 64;

  private final Allocator allocator;
  private final OutOfMemoryRetry retry = new OutOfMemoryRetry();
  private final long byteBudget;
  private final PoolLock lock = new PoolLock();
  private final FreeLists<BufferKey, CachedBuffer> free;

  private final InFlight<CachedBuffer> inUse;

  /** As many free buffers as there may be before those of closed streams are looked for. */
  private long crowd = FIRST_CROWD;

  /** What comes back from now on goes on to the allocator at once. */
  private boolean closed;

  private BufferStatistics statistics = BufferStatistics.ZERO;

  DeviceCache(Allocator allocator, long byteBudget) {
    this.allocator = allocator;
    this.free = new FreeLists<>(CachedBuffer::size, PoolEdge.of(allocator.getDevice()));
    this.inUse =
        new InFlight<>(
            lock,
            CachedBuffer::size,
            buffer -> buffer.uses,
            buffer -> free.add(buffer.key, buffer));
    this.byteBudget = byteBudget;
  }

  /**
   * A buffer that is here, or a new one.
   *
   * @param count how many elements its user asked for
   */
  CachedBuffer take(BufferKey key, long count) {
    CachedBuffer cached = tryTake(key);
    if (cached != null) {
      return cached;
    }
    try {
      return allocate(key);
    } catch (DeviceOutOfMemoryException e) {
      throw Refusals.noMemoryFor(
          "a buffer of " + count + " elements of " + key.type() + ", rounded to " + key.count(), e);
    }
  }

  /** A buffer that is here; null if it had to be allocated. */
  @Nullable CachedBuffer tryTake(BufferKey key) {
    Streams.refuseForeign(key.stream(), allocator.getDevice(), "the buffer pool");
    CachedBuffer cached = takeFree(key);
    if (cached == null && isAnyInUse()) {
      inUse.settleUntil(() -> free.count(key) > 0);
      cached = takeFree(key);
    }
    return cached;
  }

  private @Nullable CachedBuffer takeFree(BufferKey key) {
    List<CachedBuffer> orphans;
    lock.lock();
    try {
      requireOpen();
      // Not of a closed stream, whose work may go on, and whose handle is this one's now.
      CachedBuffer cached =
          free.take(key, each -> Streams.areSame(each.key.stream(), key.stream()));
      if (cached != null) {
        statistics = statistics.plusHit();
        return cached;
      }
      orphans = orphans(key);
    } finally {
      lock.unlock();
    }
    release(orphans);
    return null;
  }

  /** Takes out the buffers of closed streams, where they are in the way or many. Locked. */
  private List<CachedBuffer> orphans(BufferKey key) {
    if (free.count(key) == 0 && free.count() < crowd) {
      return List.of();
    }
    List<CachedBuffer> orphans = free.evictIf(each -> each.stream().isClosed());
    crowd = Math.max(FIRST_CROWD, 2 * free.count());
    return orphans;
  }

  private boolean isAnyInUse() {
    return lock.get(() -> !inUse.isEmpty());
  }

  private void requireOpen() {
    if (closed) {
      throw new ClosedException(
          "the buffer pool", "it gives no buffers any more", "make a new one");
    }
  }

  /** A new buffer; where there is no memory, what nobody holds goes back first. */
  private CachedBuffer allocate(BufferKey key) {
    Allocation memory =
        retry.allocate(
            () -> allocator.allocate(key.count(), key.type(), key.stream()), this::evictAll);
    CachedBuffer fresh = new CachedBuffer(key, memory);
    try {
      countMiss();
    } catch (ClosedException e) {
      Batch.after(e, () -> release(List.of(fresh)));
      throw e;
    }
    return fresh;
  }

  /** A buffer was allocated; refuses it if the pool was closed meanwhile. */
  private void countMiss() {
    lock.perform(
        () -> {
          requireOpen();
          statistics = statistics.plusMiss();
        });
  }

  /**
   * Takes a buffer from its user.
   *
   * @param keeps false for one that is of no use to others
   */
  void giveBack(CachedBuffer buffer, boolean keeps) {
    if (keeps && !buffer.uses.isEmpty()) {
      // Comes in also where its uses could not be marked: they are marked later.
      Batch.run(buffer.uses::mark, () -> comeIn(buffer, true));
    } else {
      comeIn(buffer, keeps);
    }
  }

  private void comeIn(CachedBuffer buffer, boolean keeps) {
    List<CachedBuffer> excess = List.of();
    lock.lock();
    try {
      statistics = statistics.plusReturn();
      // One beyond the budget would drive all others out before it goes itself.
      if (closed || !keeps || buffer.size() > byteBudget) {
        excess = List.of(buffer);
      } else {
        inUse.add(buffer);
        excess = evictTo(byteBudget);
      }
    } finally {
      lock.unlock();
    }
    release(excess);
  }

  /** Gives buffers back to the allocator; those that it cannot have yet stay here. */
  private void release(List<CachedBuffer> buffers) {
    Batch.forEach(buffers, each -> each.free(this::keepInUse));
  }

  private void keepInUse(CachedBuffer buffer) {
    lock.perform(() -> inUse.add(buffer));
  }

  /**
   * Takes buffers out until at most so many bytes are left: first the free ones, as the others come
   * free without anybody's doing, each kind the least recently used first. Locked.
   */
  private List<CachedBuffer> evictTo(long keepBytes) {
    List<CachedBuffer> evicted = free.evictTo(Math.max(0, keepBytes - inUse.bytes()));
    for (CachedBuffer oldest;
        inUse.bytes() > keepBytes && (oldest = inUse.takeOldest()) != null; ) {
      evicted.add(oldest);
    }
    return evicted;
  }

  /** Gives everything that nobody holds back to the allocator. */
  void empty() {
    retry.giveBack(this::evictAll);
  }

  /** The same; returns how many bytes that were. */
  private long evictAll() {
    List<CachedBuffer> evicted = lock.get(() -> evictTo(0));
    release(evicted);
    return evicted.stream().mapToLong(CachedBuffer::size).sum();
  }

  /** Empties the cache for good. */
  void close() {
    lock.perform(() -> closed = true);
    empty();
  }

  /** Bytes that nobody holds. */
  long cachedBytes() {
    return lock.get(() -> free.bytes() + inUse.bytes());
  }

  @Override
  public String toString() {
    return allocator + ", " + ByteSize.format(cachedBytes()) + " in free buffers";
  }

  BufferStatistics statistics() {
    return lock.get(() -> statistics);
  }

  void resetStatistics() {
    lock.perform(() -> statistics = BufferStatistics.ZERO);
  }
}
