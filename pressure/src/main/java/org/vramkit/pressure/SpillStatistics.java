package org.vramkit.pressure;

/**
 * Figures of a {@link SpillStore} at one moment.
 *
 * @param deviceBytes bytes of spillables that are on the device
 * @param leasedBytes those of them that are leased and so cannot be spilled
 * @param hostBytes bytes of spillables in page-locked memory
 * @param diskBytes bytes of spillables on disk
 * @param spills spillables that have left the device so far
 * @param spilledBytes their bytes
 * @param diskWrites spillables that have gone to disk so far
 * @param diskWrittenBytes their bytes
 * @param restores spillables that have come back so far
 * @param restoredBytes their bytes
 * @param failures moves to the host or to disk that failed; what was to be moved stayed where it
 *     was
 */
public record SpillStatistics(
    long deviceBytes,
    long leasedBytes,
    long hostBytes,
    long diskBytes,
    long spills,
    long spilledBytes,
    long diskWrites,
    long diskWrittenBytes,
    long restores,
    long restoredBytes,
    long failures) {}
