package org.vramkit.api.device;

/**
 * Memory of a driver's pool.
 *
 * @param usedBytes allocated and not freed
 * @param usedPeakBytes most that this ever was
 * @param reservedBytes taken from the device
 * @param reservedPeakBytes most that this ever was
 */
public record DriverPoolStatistics(
    long usedBytes, long usedPeakBytes, long reservedBytes, long reservedPeakBytes) {}
