package org.vramkit.bench.paced;

import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.DriverFigures;

/**
 * Figures of one or several passes. Names match those of {@code bench/peers/paced.cpp}, which has
 * no {@code driver}.
 *
 * @param events number of allocations and frees
 * @param millis time in the allocator, in milliseconds
 * @param nanosPerEvent mean time in the allocator per event
 * @param share time in the allocator as a share of the passes' time, 0 to 1
 * @param p50Nanos median time of a call
 * @param p99Nanos 99th percentile
 * @param p999Nanos 99.9th percentile
 * @param longestNanos longest call without a garbage collection
 * @param longestCollectedNanos longest call with a garbage collection; 0 if there is none
 * @param wallMillis wall-clock time of the passes
 * @param reservedRatio peak of reserved bytes divided by peak of requested bytes, since the
 *     allocator was created
 * @param driver driver calls, including those that end a pass; null if not measured
 */
record Figures(
    int events,
    double millis,
    double nanosPerEvent,
    double share,
    long p50Nanos,
    long p99Nanos,
    long p999Nanos,
    long longestNanos,
    long longestCollectedNanos,
    double wallMillis,
    double reservedRatio,
    @Nullable DriverFigures driver) {}
