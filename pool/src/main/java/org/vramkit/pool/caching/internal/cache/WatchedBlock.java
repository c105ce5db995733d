package org.vramkit.pool.caching.internal.cache;

import org.vramkit.pool.caching.internal.heap.Block;

/**
 * What a handle holds in place of its block where it is watched, and nobody else holds: once the
 * collector finds this, the handle is gone. Watching the handle itself would make it an object of
 * the heap wherever it is allocated, also where the compiler could do without.
 */
public final class WatchedBlock {
  final Block block;

  /** For one handle. */
  public WatchedBlock(Block block) {
    this.block = block;
  }
}
