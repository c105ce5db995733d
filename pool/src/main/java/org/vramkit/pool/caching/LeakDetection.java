package org.vramkit.pool.caching;

/** Which allocations are watched for being dropped without a close. */
public enum LeakDetection {
  /** None. */
  OFF,
  /** About one in 128, without the stack of its allocation. Costs a hit nothing to speak of. */
  SAMPLED,
  /** The same with the stack, which takes some microseconds for each of them. */
  STACKS,
  /** Every allocation, with its stack: for tests, and to find what samples have told of. */
  ALL
}
