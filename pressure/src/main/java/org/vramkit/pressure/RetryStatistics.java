package org.vramkit.pressure;

import static org.vramkit.api.allocator.Metric.Kind.COUNTER;
import static org.vramkit.api.allocator.Metric.Kind.LEVEL;
import static org.vramkit.api.allocator.Metric.Unit.COUNT;

import java.util.List;
import org.vramkit.api.allocator.Metric;

/**
 * A snapshot of the statistics of a {@link Retry}.
 *
 * @param running number of tasks that run and do not wait
 * @param blocked number of tasks that wait in an allocation and keep their memory
 * @param rolledBack number of tasks that wait to run again and keep only completed results
 * @param tasks number of tasks that have begun
 * @param waits number of allocations that waited
 * @param rollbacks number of attempts that were rolled back for other tasks
 * @param splits number of inputs that were divided
 */
public record RetryStatistics(
    long running,
    long blocked,
    long rolledBack,
    long tasks,
    long waits,
    long rollbacks,
    long splits) {
  /** Returns all figures, as the flight recorder, Micrometer and {@code vramkit top} show them. */
  public static List<Metric<RetryStatistics>> getMetrics() {
    return List.of(
        new Metric<>(
            "running", COUNT, LEVEL, "Tasks that run and do not wait", RetryStatistics::running),
        new Metric<>(
            "blocked", COUNT, LEVEL, "Tasks that wait in an allocation", RetryStatistics::blocked),
        new Metric<>(
            "rolled back",
            COUNT,
            LEVEL,
            "Tasks that wait to run again",
            RetryStatistics::rolledBack),
        new Metric<>("tasks", COUNT, COUNTER, "Tasks that have begun", RetryStatistics::tasks),
        new Metric<>("waits", COUNT, COUNTER, "Allocations that waited", RetryStatistics::waits),
        new Metric<>(
            "rollbacks",
            COUNT,
            COUNTER,
            "Attempts that were rolled back for other tasks",
            RetryStatistics::rollbacks),
        new Metric<>(
            "splits", COUNT, COUNTER, "Inputs that were divided", RetryStatistics::splits));
  }
}
