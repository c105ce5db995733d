package org.vramkit.pressure;

/**
 * Figures of a {@link Retry} at one moment.
 *
 * @param running tasks that are under way and do not wait
 * @param blocked tasks that wait in an allocation, with what they hold
 * @param rolledBack tasks that wait to be run again, with the results of their pieces
 * @param tasks tasks that have begun so far
 * @param waits allocations that waited
 * @param rollbacks attempts that were ended for other tasks
 * @param splits inputs that were divided
 */
public record RetryStatistics(
    long running,
    long blocked,
    long rolledBack,
    long tasks,
    long waits,
    long rollbacks,
    long splits) {}
