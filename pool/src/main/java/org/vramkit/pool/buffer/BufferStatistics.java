package org.vramkit.pool.buffer;

/**
 * Counters of a buffer pool since its creation or the last reset.
 *
 * @param hits buffers that the cache served
 * @param misses buffers that were allocated
 * @param returns buffers that were closed
 */
public record BufferStatistics(long hits, long misses, long returns) {

  /** All counters at 0. */
  public static final BufferStatistics ZERO = new BufferStatistics(0, 0, 0);

  BufferStatistics plus(BufferStatistics other) {
    return new BufferStatistics(hits + other.hits, misses + other.misses, returns + other.returns);
  }

  BufferStatistics minus(BufferStatistics other) {
    return new BufferStatistics(hits - other.hits, misses - other.misses, returns - other.returns);
  }
}
