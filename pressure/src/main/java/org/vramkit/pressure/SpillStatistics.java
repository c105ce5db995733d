package org.vramkit.pressure;

/**
 * A snapshot of the statistics of a {@link SpillStore}.
 *
 * @param deviceBytes bytes of spillables on the device
 * @param leasedBytes the part of them that is leased and so cannot be spilled
 * @param hostBytes bytes of spillables in page-locked memory
 * @param diskBytes bytes of spillables on disk
 * @param spills number of moves off the device
 * @param spilledBytes bytes moved off the device
 * @param diskWrites number of moves to disk
 * @param diskWrittenBytes bytes moved to disk
 * @param restores number of moves back to the device
 * @param restoredBytes bytes moved back to the device
 * @param failures number of failed moves to the host or to disk, after which the bytes stayed in
 *     their place
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
