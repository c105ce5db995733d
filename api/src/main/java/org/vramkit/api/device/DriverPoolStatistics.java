package org.vramkit.api.device;

/**
 * The memory of a driver pool.
 *
 * @param usedBytes bytes that are allocated and not freed
 * @param usedPeakBytes maximum of {@code usedBytes}
 * @param reservedBytes bytes reserved from the device
 * @param reservedPeakBytes maximum of {@code reservedBytes}
 */
public record DriverPoolStatistics(
    long usedBytes, long usedPeakBytes, long reservedBytes, long reservedPeakBytes) {}
