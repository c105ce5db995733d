package org.vramkit.pool.caching;

/** Decides when memory that one stream has freed may serve another stream. */
public enum StealPolicy {
  /** Only if the allocation would fail otherwise. */
  NEVER,
  /** If the first stream is known to have passed the free, without a wait. */
  WHEN_IDLE,
  /** Also before; the second stream waits for the first, before new memory is taken. */
  WITH_WAIT
}
