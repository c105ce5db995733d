package org.vramkit.pressure;

/**
 * A snapshot of the statistics of a {@link WaitingAllocator}. A request that finds memory at once
 * counts only in {@code liveBytes}.
 *
 * @param liveBytes bytes that users of the allocator hold
 * @param waiting number of requests in line
 * @param served number of requests that waited and got memory
 * @param failed number of requests that waited and got none, because of a timeout, a cancellation
 *     or an interrupt, or because no close could help
 * @param waitNanos total time in line of the served requests
 * @param longestWaitNanos longest of these times
 */
public record WaitingStatistics(
    long liveBytes,
    long waiting,
    long served,
    long failed,
    long waitNanos,
    long longestWaitNanos) {}
