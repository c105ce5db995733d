package org.vramkit.pool.buffer;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.support.Batch;
import org.vramkit.pool.support.ForeignStream;
import org.vramkit.pool.support.FreeLists;
import org.vramkit.pool.support.OutOfMemoryRetry;
import org.vramkit.pool.support.Streams;

/**
 * The buffers of one device that nobody holds: free ones, and ones that other streams still use.
 *
 * <p>{@code lock} guards both; the driver is asked under it only when no free buffer fits and some
 * are still in use, never on a hit. Leaf: nothing else is locked under it but the uses of a buffer
 * that is here.
 */
final class DeviceCache {
  private static final long FIRST_CROWD = 64;

  private final Allocator allocator;
  private final OutOfMemoryRetry retry = new OutOfMemoryRetry();
  private final long byteBudget;
  private final ReentrantLock lock = new ReentrantLock();
  private final FreeLists<BufferKey, CachedBuffer> free;

  /** In the order of their return. */
  private final ArrayDeque<CachedBuffer> inUse = new ArrayDeque<>();

  private long bytesInUse;

  /** As many free buffers as there may be before those of closed streams are looked for. */
  private long crowd = FIRST_CROWD;

  /** What comes back from now on goes on to the allocator at once. */
  private boolean closed;

  private BufferStatistics statistics = BufferStatistics.ZERO;

  DeviceCache(Allocator allocator, long byteBudget) {
    this.allocator = allocator;
    this.free = new FreeLists<>(CachedBuffer::size, allocator.getDevice().createHostEdge());
    this.byteBudget = byteBudget;
  }

  CachedBuffer take(BufferKey key) {
    ForeignStream.refuse(key.stream(), allocator.getDevice(), "the buffer pool");
    CachedBuffer cached;
    List<CachedBuffer> orphans = List.of();
    lock.lock();
    try {
      if (closed) {
        throw new ClosedException("the buffer pool is closed");
      }
      cached = free.take(key);
      if (cached == null && !inUse.isEmpty()) {
        settle();
        cached = free.take(key);
      }
      if (cached != null && !Streams.areSame(cached.key.stream(), key.stream())) {
        // Of a closed stream, whose work may go on, and whose handle is the other's now.
        orphans = free.evictIf(each -> each.stream().isClosed());
        orphans.add(cached);
        cached = null;
      } else if (cached == null && free.count() >= crowd) {
        orphans = free.evictIf(each -> each.stream().isClosed());
        crowd = Math.max(FIRST_CROWD, 2 * free.count());
      }
      statistics = cached == null ? statistics.plusMiss() : statistics.plusHit();
    } finally {
      lock.unlock();
    }
    release(orphans);
    return cached == null ? new CachedBuffer(key, allocate(key)) : cached;
  }

  /** Moves buffers whose other users have passed to the free ones. Locked. */
  private void settle() {
    for (Iterator<CachedBuffer> it = inUse.iterator(); it.hasNext(); ) {
      CachedBuffer buffer = it.next();
      if (buffer.uses.isSettled()) {
        it.remove();
        bytesInUse -= buffer.size();
        free.add(buffer.key, buffer);
      }
    }
  }

  /** A buffer's memory; where there is none, what nobody holds goes back first. */
  private Allocation allocate(BufferKey key) {
    return retry.allocate(
        () -> allocator.allocate(key.count(), key.type(), key.stream()), this::empty);
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
      } else if (buffer.uses.isEmpty()) {
        free.add(buffer.key, buffer);
        excess = evictTo(byteBudget);
      } else {
        addInUse(buffer);
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
    lock.lock();
    try {
      addInUse(buffer);
    } finally {
      lock.unlock();
    }
  }

  private void addInUse(CachedBuffer buffer) {
    inUse.addLast(buffer);
    bytesInUse += buffer.size();
  }

  /**
   * Takes buffers out until at most so many bytes are left: first the free ones, as the others come
   * free without anybody's doing, each kind the least recently used first. Locked.
   */
  private List<CachedBuffer> evictTo(long keepBytes) {
    List<CachedBuffer> evicted = free.evictTo(Math.max(0, keepBytes - bytesInUse));
    while (bytesInUse > keepBytes) {
      CachedBuffer oldest = inUse.removeFirst();
      bytesInUse -= oldest.size();
      evicted.add(oldest);
    }
    return evicted;
  }

  /** Gives everything that nobody holds back to the allocator; returns how many bytes that were. */
  long empty() {
    List<CachedBuffer> evicted;
    lock.lock();
    try {
      evicted = evictTo(0);
    } finally {
      lock.unlock();
    }
    release(evicted);
    return evicted.stream().mapToLong(CachedBuffer::size).sum();
  }

  /** Empties the cache for good. */
  void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    empty();
  }

  /** Bytes that nobody holds. */
  long cachedBytes() {
    lock.lock();
    try {
      return free.bytes() + bytesInUse;
    } finally {
      lock.unlock();
    }
  }

  BufferStatistics statistics() {
    lock.lock();
    try {
      return statistics;
    } finally {
      lock.unlock();
    }
  }

  void resetStatistics() {
    lock.lock();
    try {
      statistics = BufferStatistics.ZERO;
    } finally {
      lock.unlock();
    }
  }
}
