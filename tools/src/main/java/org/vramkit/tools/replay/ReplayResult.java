package org.vramkit.tools.replay;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.trace.Trace;

/**
 * The figures of one trace.
 *
 * @param trace what was replayed
 * @param backend name of the backend
 * @param allocator name of the allocator
 * @param failedAllocations allocations that were refused, over all passes
 * @param reservedPeakBytes most memory that the allocator held, over all passes
 * @param driver driver calls over all passes; null on a backend that counts none
 * @param nanosPerEvent host time per event of the first pass, see {@link Replay}
 * @param steadyNanosPerEvent the same of the last pass
 * @param hazards what the simulator's checker found, over all passes
 * @param problems why the run counts as failed, one line each; empty for a good one
 * @param timeline memory over time
 */
public record ReplayResult(
    Trace trace,
    String backend,
    String allocator,
    long failedAllocations,
    long reservedPeakBytes,
    @Nullable DriverFigures driver,
    double nanosPerEvent,
    double steadyNanosPerEvent,
    long hazards,
    List<String> problems,
    Timeline timeline) {

  /** Copies the list. */
  public ReplayResult {
    problems = List.copyOf(problems);
  }

  /** Reserved by requested peak; null when nothing was requested. */
  public @Nullable Double getReservedRatio() {
    long requested = trace.getRequestedPeakBytes();
    return requested == 0 ? null : (double) reservedPeakBytes / requested;
  }

  ReplayResult withTimesOf(ReplayResult timed) {
    return new ReplayResult(
        trace,
        backend,
        allocator,
        failedAllocations,
        reservedPeakBytes,
        driver,
        timed.nanosPerEvent,
        timed.steadyNanosPerEvent,
        hazards,
        problems,
        timeline);
  }
}
