package org.vramkit.pool.caching;

/**
 * What requests of different sizes have of a caching allocator, its private pools included. Exact
 * at a quiet moment.
 *
 * @param small of requests up to 1 MiB
 * @param large of larger ones
 */
public record SizeStatistics(Share small, Share large) {

  /**
   * The part of some requests.
   *
   * @param requestedBytes bytes that users asked for and still hold
   * @param allocatedBytes bytes of the blocks that they hold
   * @param blocks blocks that they hold
   * @param allocations how many there ever were, or since the figures were {@link
   *     CachingAllocator#resetStatistics reset}
   */
  public record Share(long requestedBytes, long allocatedBytes, long blocks, long allocations) {}
}
