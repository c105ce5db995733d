package org.vramkit.pool.caching;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What is live in all stripes of all pools together, and its peaks: never below the truth, see
 * {@link LiveBooks}. Any thread adds at any time, without a lock: each level is exact by itself,
 * and no two are read at one moment.
 */
class LiveGauge {
  /** Claims of this many blocks at a time go with claims of bytes. */
  private static final long CHUNK_COUNT = 256;

  /** One quantity and its peak; additions are atomic, so the peak misses none. */
  private static final class Level {
    private final AtomicLong current = new AtomicLong();
    private final AtomicLong peak = new AtomicLong();

    void add(long delta) {
      if (delta == 0) {
        return;
      }
      long now = current.addAndGet(delta);
      // Reads first: far below the peak, threads share this and write nothing.
      long highest = peak.get();
      while (now > highest && !peak.compareAndSet(highest, now)) {
        highest = peak.get();
      }
    }

    long current() {
      return current.get();
    }

    long peak() {
      return peak.get();
    }

    void resetPeak() {
      peak.set(current.get());
    }
  }

  private final long chunkBytes;
  private final Level requested = new Level();
  private final Level allocated = new Level();
  private final Level count = new Level();
  private final Level active = new Level();
  private final Level pending = new Level();
  private final AtomicLong pendingRemoved = new AtomicLong();

  LiveGauge(long chunkBytes) {
    this.chunkBytes = chunkBytes;
  }

  long chunkBytes() {
    return chunkBytes;
  }

  long chunkCount() {
    return chunkBytes == 0 ? 0 : CHUNK_COUNT;
  }

  void add(long requestedDelta, long allocatedDelta, long countDelta) {
    requested.add(requestedDelta);
    allocated.add(allocatedDelta);
    count.add(countDelta);
    active.add(allocatedDelta);
  }

  /** Blocks were closed and wait for other streams. */
  void pendingAdded(long bytes) {
    pending.add(bytes);
    active.add(bytes);
  }

  /** Such blocks became free. */
  void pendingRemoved(long bytes) {
    pendingRemoved.addAndGet(bytes);
    pending.add(-bytes);
    active.add(-bytes);
  }

  /** Bytes of live blocks, with what stripes have claimed ahead. */
  long allocatedBytes() {
    return allocated.current();
  }

  long pendingBytes() {
    return pending.current();
  }

  void resetPeaks() {
    requested.resetPeak();
    allocated.resetPeak();
    count.resetPeak();
    active.resetPeak();
  }

  /**
   * Peaks of requested, allocated and active bytes and of blocks, none below what is live now.
   *
   * @param pendingRemoved bytes that ever became free after having waited for other streams
   */
  record Peaks(long requested, long allocated, long active, long count, long pendingRemoved) {}

  Peaks peaks() {
    return new Peaks(
        requested.peak(), allocated.peak(), active.peak(), count.peak(), pendingRemoved.get());
  }
}
