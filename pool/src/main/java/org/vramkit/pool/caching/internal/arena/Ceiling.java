package org.vramkit.pool.caching.internal.arena;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;

/**
 * The most that a request can be given while what is live stays: what is beyond it is refused
 * before anything is taken, moved or given back for its sake.
 */
final class Ceiling {
  private final Heap heap;
  private final ReservedMemory books;
  private final StatisticsReader own;
  private final StatisticsReader all;

  /**
   * A ceiling.
   *
   * @param heap of the pool
   * @param own statistics of the pool
   * @param all statistics of all pools
   */
  Ceiling(Heap heap, StatisticsReader own, StatisticsReader all) {
    this.heap = heap;
    this.books = heap.books;
    this.own = own;
    this.all = all;
  }

  /**
   * Why so much cannot be had at this moment, though all that is free anywhere came together; null
   * if perhaps it can. Asks the driver at most once.
   */
  @Nullable String refusalOf(long size) {
    if (!heap.mayEverHave(size)) {
      return size > heap.totalBytes ? "larger than the device's memory" : "larger than the limit";
    }
    long rest =
        Math.min(obtainable() - all.leastLiveBytes(), books.ownLimit() - own.leastLiveBytes());
    return size > rest
        ? "at most " + ByteSize.format(Math.max(0, rest)) + " could be had beside what is live"
        : null;
  }

  /** What could be reserved if everything that is reserved went back. */
  private long obtainable() {
    // While others take memory or give it back, what is free and what is reserved do not add up.
    books.growth.lock();
    try {
      long reserved = books.reserved();
      long free = Math.min(heap.freeBytes(), Long.MAX_VALUE - reserved);
      return Math.min(books.limit(), free + reserved);
    } finally {
      books.growth.unlock();
    }
  }
}
