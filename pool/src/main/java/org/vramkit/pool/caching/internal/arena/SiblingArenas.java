package org.vramkit.pool.caching.internal.arena;

/**
 * The other pools of an allocator, as they help one that is out of memory. Called without a lock.
 */
public interface SiblingArenas {

  /** Ends what threads left open in pools that have finished. Not from inside of a call. */
  void closeFinished();

  /**
   * Has them give back free memory that they need not keep, without waiting for anything.
   *
   * @param bytes how much is enough
   * @return whether there was any
   */
  boolean giveBack(long bytes);

  /** The same for all that they need not keep, once the work that uses it is done. */
  boolean waitAndGiveBack();

  /** Whether work still uses something that they would give back. */
  boolean isMoreToPass();
}
