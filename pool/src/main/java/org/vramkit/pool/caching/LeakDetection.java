package org.vramkit.pool.caching;

/** The level of leak detection: which allocations are tracked for being dropped without a close. */
public enum LeakDetection {
  /** Tracks no allocation. */
  OFF,
  /** Tracks about one allocation in 128, without its stack. The cost of a hit is negligible. */
  SAMPLED,
  /** Does the same with stacks, which take some microseconds for each tracked allocation. */
  STACKS,
  /** Tracks every allocation with its stack, for tests and to find a sampled leak. */
  ALL
}
