package org.vramkit.pressure;

import static org.vramkit.api.allocator.Metric.Kind.COUNTER;
import static org.vramkit.api.allocator.Metric.Kind.LEVEL;
import static org.vramkit.api.allocator.Metric.Kind.TIMER;
import static org.vramkit.api.allocator.Metric.Unit.BYTES;
import static org.vramkit.api.allocator.Metric.Unit.COUNT;
import static org.vramkit.api.allocator.Metric.Unit.NANOSECONDS;

import java.util.List;
import org.vramkit.api.allocator.Metric;

/**
 * A snapshot of the statistics of an {@link Admission}.
 *
 * @param capacityBytes maximum sum of all grants, by the last query of the driver
 * @param grantedBytes bytes of all grants, and of memory that outlives its grant
 * @param usedBytes requested bytes that jobs hold
 * @param running number of open grants
 * @param waiting number of demands and growths in line
 * @param waitingBytes sum of the demands and growths in line
 * @param admitted number of granted demands
 * @param waited number of granted demands and growths that had to wait
 * @param withdrawn number of demands and growths that left the line, by a timeout, a cancellation
 *     or an interrupt
 * @param refused number of demands and growths that could never be granted
 * @param waitNanos total time in line of the demands and growths that were granted
 * @param longestWaitNanos longest of these times
 * @param estimates the estimate for each kind of job, the most recent run last
 */
public record AdmissionStatistics(
    long capacityBytes,
    long grantedBytes,
    long usedBytes,
    long running,
    long waiting,
    long waitingBytes,
    long admitted,
    long waited,
    long withdrawn,
    long refused,
    long waitNanos,
    long longestWaitNanos,
    List<DemandEstimate> estimates) {

  /** Copies the list of estimates. */
  public AdmissionStatistics {
    estimates = List.copyOf(estimates);
  }

  /** Returns all figures, as the flight recorder, Micrometer and {@code vramkit top} show them. */
  public static List<Metric<AdmissionStatistics>> getMetrics() {
    return List.of(
        new Metric<>(
            "capacity",
            BYTES,
            LEVEL,
            "Maximum sum of all grants",
            AdmissionStatistics::capacityBytes),
        new Metric<>(
            "granted",
            BYTES,
            LEVEL,
            "Bytes of open grants, and of memory that outlives its grant",
            AdmissionStatistics::grantedBytes),
        new Metric<>(
            "used", BYTES, LEVEL, "Granted bytes that jobs hold", AdmissionStatistics::usedBytes),
        new Metric<>("running", COUNT, LEVEL, "Grants that are open", AdmissionStatistics::running),
        new Metric<>(
            "waiting", COUNT, LEVEL, "Demands and growths in line", AdmissionStatistics::waiting),
        new Metric<>(
            "demanded",
            BYTES,
            LEVEL,
            "Bytes of the demands and growths in line",
            AdmissionStatistics::waitingBytes),
        new Metric<>(
            "admitted", COUNT, COUNTER, "Demands that were granted", AdmissionStatistics::admitted),
        new Metric<>(
            "withdrawn",
            COUNT,
            COUNTER,
            "Demands and growths that left the line without a grant",
            AdmissionStatistics::withdrawn),
        new Metric<>(
            "refused",
            COUNT,
            COUNTER,
            "Demands and growths that could never be granted",
            AdmissionStatistics::refused),
        new Metric<>(
            "wait",
            NANOSECONDS,
            TIMER,
            "Time in line of those that were granted after a wait",
            AdmissionStatistics::waitNanos,
            AdmissionStatistics::waited),
        new Metric<>(
            "longest wait",
            NANOSECONDS,
            LEVEL,
            "Longest time in line of one that was granted",
            AdmissionStatistics::longestWaitNanos));
  }
}
