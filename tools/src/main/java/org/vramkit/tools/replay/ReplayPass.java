package org.vramkit.tools.replay;

import org.jspecify.annotations.Nullable;

/**
 * The figures of one pass over a trace.
 *
 * @param driver driver calls of the pass, and of the frees of what the pass before it left live;
 *     null on a backend that counts none
 * @param nanosPerEvent host time per event in nanoseconds, see {@link Replay}
 * @param longestNanos the longest of these times, in nanoseconds
 * @param longestDriverNanos the most time at the driver within one {@code allocate} or {@code
 *     close}, by the simulator's cost model; null on other backends, where it is part of {@code
 *     longestNanos}
 * @param reservedPeakBytes most memory that the allocator held until the end of the pass, in it and
 *     in those before it
 */
public record ReplayPass(
    @Nullable DriverFigures driver,
    double nanosPerEvent,
    long longestNanos,
    @Nullable Long longestDriverNanos,
    long reservedPeakBytes) {}
