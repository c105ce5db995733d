package org.vramkit.pool.caching.internal.heap;

/** Watches the handle of one block, from its allocation to its close. */
@FunctionalInterface
public interface HandleWatch {
  /** The handle is closed. Under the lock of the block's stripe. */
  void closed();
}
