package org.vramkit.pool.caching;

/** Decides when memory that one stream has freed may serve another stream. */
public enum StealPolicy {
  /** Uses memory that another stream has freed only if the allocation would fail otherwise. */
  NEVER,
  /**
   * Uses memory that another stream has freed once that stream has completed the work before the
   * free. No stream waits.
   */
  WHEN_IDLE,
  /**
   * Uses memory that another stream has freed even earlier: before new memory is taken from the
   * driver, the allocating stream waits for the other stream.
   */
  WITH_WAIT
}
