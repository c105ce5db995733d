package org.vramkit.pool.caching;

/**
 * Statistics of a caching allocator by the size of requests, including its private pools. Exact
 * while no thread allocates.
 *
 * @param small requests up to 1 MiB
 * @param large larger requests
 */
public record SizeStatistics(Share small, Share large) {

  /**
   * Statistics of requests of a size.
   *
   * @param requestedBytes live requested bytes
   * @param allocatedBytes bytes of live blocks
   * @param blocks number of live blocks
   * @param allocations number of allocations, since the figures were {@link
   *     CachingAllocator#resetStatistics reset}
   */
  public record Share(long requestedBytes, long allocatedBytes, long blocks, long allocations) {}
}
