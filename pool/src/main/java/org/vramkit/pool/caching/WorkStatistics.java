package org.vramkit.pool.caching;

/**
 * The cost of allocations that were no cache hits, since a caching allocator was made, or since its
 * figures were {@link CachingAllocator#resetStatistics reset}. All pools of an allocator together.
 *
 * @param searches allocations that went behind the caches, also those that were refused there; all
 *     others are {@link org.vramkit.api.allocator.AllocatorStatistics#cacheHits cache hits}
 * @param driverCalls times that memory was taken, moved or given back, each by one or more calls of
 *     the driver
 * @param driverNanos how long that took, in nanoseconds
 * @param waits times that the host waited for a stream, or for the device
 * @param waitNanos how long that took, in nanoseconds
 */
public record WorkStatistics(
    long searches, long driverCalls, long driverNanos, long waits, long waitNanos) {}
