package org.vramkit.pool.caching;

/** When memory that one stream has freed may serve another stream. */
public enum StealPolicy {
  /** Not before the allocator would otherwise fail. */
  NEVER,
  /** When the first stream is known to have passed the free; nothing waits for that. */
  WHEN_IDLE,
  /** Also while it has not: the second stream is made to wait, before new memory is taken. */
  WITH_WAIT
}
