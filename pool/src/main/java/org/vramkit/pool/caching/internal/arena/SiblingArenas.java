package org.vramkit.pool.caching.internal.arena;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.heap.Block;

/**
 * The other pools of an allocator, as they help one that is out of memory. Called without a lock.
 */
public interface SiblingArenas {

  /**
   * Has them give back free memory that they need not keep, without waiting for anything.
   *
   * @param bytes how much is enough
   * @return whether there was any
   */
  boolean giveBack(long bytes);

  /** The same for all that they need not keep, once the work that uses it is done. */
  boolean waitAndGiveBack();

  /** Whether some pool may lend a block. */
  boolean canLend();

  /**
   * Has one of them lend a block, which stays its own and returns to it.
   *
   * @param waiting whether it may wait for work
   * @return a block that is not in the books yet, or null
   */
  @Nullable Block lend(Stream stream, long size, boolean waiting);

  /** Whether work still uses something that they would give back or lend. */
  boolean isMoreToPass();
}
