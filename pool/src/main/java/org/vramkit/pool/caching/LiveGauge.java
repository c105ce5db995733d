package org.vramkit.pool.caching;

/**
 * What is live in all stripes together, and its peaks: never below the truth, see {@link
 * LiveBooks}. Guarded by its own monitor, which is a leaf: nothing else is locked inside.
 */
final class LiveGauge {
  /** Claims of this many blocks at a time go with claims of bytes. */
  private static final long CHUNK_COUNT = 256;

  /** Peaks of one quantity. */
  private static final class Level {
    long current;
    long peak;

    void add(long delta) {
      current += delta;
      peak = Math.max(peak, current);
    }
  }

  private final long chunkBytes;
  private final Level requested = new Level();
  private final Level allocated = new Level();
  private final Level count = new Level();
  private final Level active = new Level();
  private long pendingAdded;
  private long pendingRemoved;

  LiveGauge(long chunkBytes) {
    this.chunkBytes = chunkBytes;
  }

  long chunkBytes() {
    return chunkBytes;
  }

  long chunkCount() {
    return chunkBytes == 0 ? 0 : CHUNK_COUNT;
  }

  synchronized void add(long requestedDelta, long allocatedDelta, long countDelta) {
    requested.add(requestedDelta);
    allocated.add(allocatedDelta);
    count.add(countDelta);
    active.add(allocatedDelta);
  }

  /** Blocks were closed and wait for other streams. */
  synchronized void pendingAdded(long bytes) {
    pendingAdded += bytes;
    active.add(bytes);
  }

  /** Such blocks became free. */
  synchronized void pendingRemoved(long bytes) {
    pendingRemoved += bytes;
    active.add(-bytes);
  }

  /** Bytes of live blocks, with what stripes have claimed ahead. */
  synchronized long allocatedBytes() {
    return allocated.current;
  }

  synchronized long pendingBytes() {
    return pendingAdded - pendingRemoved;
  }

  synchronized void resetPeaks() {
    requested.peak = requested.current;
    allocated.peak = allocated.current;
    count.peak = count.current;
    active.peak = active.current;
  }

  /**
   * Peaks of requested, allocated and active bytes and of blocks, none below what is live now.
   *
   * @param pendingRemoved bytes that ever became free after having waited for other streams
   */
  record Peaks(long requested, long allocated, long active, long count, long pendingRemoved) {}

  synchronized Peaks peaks() {
    return new Peaks(requested.peak, allocated.peak, active.peak, count.peak, pendingRemoved);
  }
}
