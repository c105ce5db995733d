package org.vramkit.pressure;

import static org.vramkit.api.allocator.Metric.Kind.COUNTER;
import static org.vramkit.api.allocator.Metric.Kind.LEVEL;
import static org.vramkit.api.allocator.Metric.Unit.BYTES;
import static org.vramkit.api.allocator.Metric.Unit.COUNT;

import java.util.List;
import org.vramkit.api.allocator.Metric;

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
    long failures) {
  /** Returns all figures, as the flight recorder, Micrometer and {@code vramkit top} show them. */
  public static List<Metric<SpillStatistics>> getMetrics() {
    return List.of(
        new Metric<>(
            "on device",
            BYTES,
            LEVEL,
            "Bytes of spillables on the device",
            SpillStatistics::deviceBytes),
        new Metric<>(
            "leased",
            BYTES,
            LEVEL,
            "Bytes on the device that leases keep there",
            SpillStatistics::leasedBytes),
        new Metric<>(
            "on host",
            BYTES,
            LEVEL,
            "Bytes of spillables in page-locked memory",
            SpillStatistics::hostBytes),
        new Metric<>(
            "on disk", BYTES, LEVEL, "Bytes of spillables on disk", SpillStatistics::diskBytes),
        new Metric<>("spills", COUNT, COUNTER, "Moves off the device", SpillStatistics::spills),
        new Metric<>(
            "spilled", BYTES, COUNTER, "Bytes moved off the device", SpillStatistics::spilledBytes),
        new Metric<>("disk writes", COUNT, COUNTER, "Moves to disk", SpillStatistics::diskWrites),
        new Metric<>(
            "written", BYTES, COUNTER, "Bytes moved to disk", SpillStatistics::diskWrittenBytes),
        new Metric<>(
            "restores", COUNT, COUNTER, "Moves back to the device", SpillStatistics::restores),
        new Metric<>(
            "restored",
            BYTES,
            COUNTER,
            "Bytes moved back to the device",
            SpillStatistics::restoredBytes),
        new Metric<>("failures", COUNT, COUNTER, "Moves that failed", SpillStatistics::failures));
  }
}
