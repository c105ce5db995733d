package org.vramkit.tools.replay;

import org.jspecify.annotations.Nullable;

/**
 * The figures of one pass over a trace.
 *
 * @param driver driver calls of the pass and of the frees at the end of the previous one; null if
 *     the backend does not count them
 * @param nanosPerEvent mean host time per event in nanoseconds, see {@link Replay}
 * @param longestNanos longest host time of one event in nanoseconds
 * @param longestDriverNanos longest driver time within one {@code allocate} or {@code close}, by
 *     the simulator's cost model; null on other backends, whose driver time is part of {@code
 *     longestNanos}
 * @param reservedPeakBytes peak of reserved memory from the start of the first pass to the end of
 *     this one
 */
public record ReplayPass(
    @Nullable DriverFigures driver,
    double nanosPerEvent,
    long longestNanos,
    @Nullable Long longestDriverNanos,
    long reservedPeakBytes) {}
