package org.vramkit.pressure;

/**
 * Figures of a {@link WaitingAllocator} at one moment. A request that finds memory at once counts
 * in none of them but {@code liveBytes}.
 *
 * @param liveBytes bytes that users of the allocator hold
 * @param waiting requests in line
 * @param served requests that waited and got memory so far
 * @param failed requests that waited and got none: late, cancelled, interrupted, or hopeless
 * @param waitNanos time in line of all that were served
 * @param longestWaitNanos the longest of these times
 */
public record WaitingStatistics(
    long liveBytes,
    long waiting,
    long served,
    long failed,
    long waitNanos,
    long longestWaitNanos) {}
