package org.vramkit.pool.caching.internal.cache;

/** Which allocations of a stripe have their handles watched. */
@FunctionalInterface
public interface WatchChoice {
  /** None. */
  WatchChoice NONE = allocations -> Long.MAX_VALUE;

  /** The number of the next one after so many; each one is watched while that is in the past. */
  long after(long allocations);
}
