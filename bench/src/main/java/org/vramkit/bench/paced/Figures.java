package org.vramkit.bench.paced;

import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.DriverFigures;

/**
 * The cost of one or several passes; the names are those of {@code bench/peers/paced.cpp}, which
 * has no {@code driver}.
 *
 * @param events allocations and frees
 * @param millis time inside the allocator
 * @param nanosPerEvent the same by event
 * @param share the same by the passes' whole time, 0 to 1
 * @param p50Nanos half of the calls took no longer
 * @param p99Nanos 99 of 100 took no longer
 * @param p999Nanos 999 of 1000 took no longer
 * @param longestNanos the longest call but for those in which the JVM's collector ran
 * @param longestCollectedNanos the longest of those; 0 if there is none
 * @param wallMillis the passes' whole time
 * @param reservedRatio most reserved by most requested bytes, from the allocator's begin on
 * @param driver the driver's calls, those by which the player ends a pass too; null unless they
 *     were asked for
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
