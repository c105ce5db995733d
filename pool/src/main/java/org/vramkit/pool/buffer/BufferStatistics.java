package org.vramkit.pool.buffer;

/**
 * Counters of a buffer pool since it was made or they were reset.
 *
 * @param hits buffers that were taken from the cache
 * @param misses buffers that had to be allocated
 * @param returns buffers that were closed
 */
public record BufferStatistics(long hits, long misses, long returns) {

  /** Nothing yet. */
  public static final BufferStatistics ZERO = new BufferStatistics(0, 0, 0);

  BufferStatistics plus(BufferStatistics other) {
    return new BufferStatistics(hits + other.hits, misses + other.misses, returns + other.returns);
  }

  BufferStatistics minus(BufferStatistics other) {
    return new BufferStatistics(hits - other.hits, misses - other.misses, returns - other.returns);
  }
}
