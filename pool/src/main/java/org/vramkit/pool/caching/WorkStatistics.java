package org.vramkit.pool.caching;

/**
 * The cost of all work beyond cache hits: searches, driver calls and waits on the host, including
 * those of trims and decay. Over all pools of a caching allocator, since the last {@link
 * CachingAllocator#resetStatistics reset}.
 *
 * @param searches allocations that searched the heap, including those that ran out of memory; all
 *     others are {@link org.vramkit.api.allocator.AllocatorStatistics#cacheHits cache hits}
 * @param driverCalls number of times that memory was taken, moved or returned, each by one or more
 *     driver calls
 * @param driverNanos duration of these driver calls, in nanoseconds
 * @param waits number of waits on the host for a stream or the device
 * @param waitNanos duration of these waits, in nanoseconds
 */
public record WorkStatistics(
    long searches, long driverCalls, long driverNanos, long waits, long waitNanos) {}
