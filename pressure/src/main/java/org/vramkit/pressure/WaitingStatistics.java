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
    long liveBytes, long waiting, long served, long failed, long waitNanos, long longestWaitNanos) {
  /** Returns all figures, as the flight recorder, Micrometer and {@code vramkit top} show them. */
  public static List<Metric<WaitingStatistics>> getMetrics() {
    return List.of(
        new Metric<>(
            "live",
            BYTES,
            LEVEL,
            "Bytes that users of the allocator hold",
            WaitingStatistics::liveBytes),
        new Metric<>("waiting", COUNT, LEVEL, "Requests in line", WaitingStatistics::waiting),
        new Metric<>(
            "served",
            COUNT,
            COUNTER,
            "Requests that waited and got memory",
            WaitingStatistics::served),
        new Metric<>(
            "failed",
            COUNT,
            COUNTER,
            "Requests that waited and got no memory",
            WaitingStatistics::failed),
        new Metric<>(
            "wait",
            NANOSECONDS,
            TIMER,
            "Time in line of the served requests",
            WaitingStatistics::waitNanos,
            WaitingStatistics::served),
        new Metric<>(
            "longest wait",
            NANOSECONDS,
            LEVEL,
            "Longest time in line of a served request",
            WaitingStatistics::longestWaitNanos));
  }
}
