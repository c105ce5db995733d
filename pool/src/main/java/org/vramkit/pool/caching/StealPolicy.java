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
   * Uses memory that another stream has freed even before that stream has completed its work. The
   * allocating stream waits for the other stream, rather than take new memory from the driver.
   */
  WITH_WAIT
}
