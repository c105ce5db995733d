package org.vramkit.pool.caching;

/**
 * The level of leak detection. It decides which allocations are tracked, in order to report handles
 * that were dropped without a close.
 */
public enum LeakDetection {
  /** Tracks no allocation. */
  OFF,
  /** Tracks about one allocation in 128, without its stack. The cost of a hit is negligible. */
  SAMPLED,
  /** Tracks about one allocation in 128, with its stack. A stack takes some microseconds. */
  STACKS,
  /** Tracks every allocation with its stack, for tests and to find a sampled leak. */
  ALL
}
