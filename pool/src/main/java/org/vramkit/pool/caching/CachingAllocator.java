package org.vramkit.pool.caching;

/** Under construction. */
public final class CachingAllocator {
  private CachingAllocator() {}
}
