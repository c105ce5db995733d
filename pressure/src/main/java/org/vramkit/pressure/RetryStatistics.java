package org.vramkit.pressure;

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
    long splits) {}
