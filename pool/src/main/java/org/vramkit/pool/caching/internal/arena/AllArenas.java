package org.vramkit.pool.caching.internal.arena;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.PendingFrees;

/** All pools of an allocator, as one of them sees them. */
public interface AllArenas {
  /** Visits the memory of the default pool, then that of each private one that was used. */
  void eachPool(BiConsumer<Heap, PendingFrees> visitor);

  /** The statistics of all together. */
  StatisticsReader total();

  /** Those of each private pool that somebody has used. */
  List<StatisticsReader> privateReaders();

  /**
   * Does something while no call is under way in any pool, no hit happens, and all that is free
   * lies in the heaps. Frees go on. Not from inside of a call.
   */
  <T> T quietly(Supplier<T> action);

  /**
   * Has ended pools give memory back until all pools have reserved at most so much.
   *
   * @param waiting whether they wait for what is still used
   * @return bytes given back
   */
  long drainEnded(long keepBytes, boolean waiting);

  /**
   * A private pool that keeps memory for itself.
   *
   * @param remedy has it give the memory back, in words that name it
   * @param freeBytes that would go back
   */
  record Keeper(String remedy, long freeBytes) {}

  /**
   * Those that keep memory from a pool, the one with most first.
   *
   * @param poolId of the pool; 0 for the default one
   */
  List<Keeper> keepers(long poolId);
}
