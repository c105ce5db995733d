package org.vramkit.pool.caching.internal.cache;

/** Which allocations of a stripe have their handles watched. */
@FunctionalInterface
public interface WatchChoice {
  /** None. */
  WatchChoice NONE = allocations -> Long.MAX_VALUE;

  /** The number of the next one after so many. */
  long after(long allocations);
}
