package org.vramkit.tools.replay;

import java.util.ArrayList;
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
 * @param driver driver calls over all passes; null on a backend that counts none
 * @param passes the figures of each pass, at least one
 * @param hazards what the simulator's checker found, over all passes
 * @param problems why the run counts as failed, one line each; empty for a good one
 * @param timeline memory over time
 */
public record ReplayResult(
    Trace trace,
    String backend,
    String allocator,
    long failedAllocations,
    @Nullable DriverFigures driver,
    List<ReplayPass> passes,
    long hazards,
    List<String> problems,
    Timeline timeline) {

  /**
   * 10 ms. A program takes its first memory once, however long it runs: of less time than this that
   * is no share that would tell anything.
   */
  public static final long SHORTEST_SHARED_NANOS = 10_000_000;

  /** Copies the lists. */
  public ReplayResult {
    passes = List.copyOf(passes);
    problems = List.copyOf(problems);
  }

  /** The first pass, which finds an allocator without memory. */
  public ReplayPass getFirstPass() {
    return passes.get(0);
  }

  /** The last pass, which is the steady one; the first if there is no other. */
  public ReplayPass getLastPass() {
    return passes.get(passes.size() - 1);
  }

  /** How long the recorded program took, from its first event to its last, in nanoseconds. */
  public long getRecordedNanos() {
    return trace.getNanos(trace.getEventCount() - 1);
  }

  /**
   * What a pass spent at the driver, as a share of the recorded time; null on a backend that counts
   * no calls, and for a recording shorter than {@link #SHORTEST_SHARED_NANOS}.
   */
  public @Nullable Double getDriverShare(ReplayPass pass) {
    DriverFigures figures = pass.driver();
    return figures == null || getRecordedNanos() < SHORTEST_SHARED_NANOS
        ? null
        : (double) figures.estimatedNanos() / getRecordedNanos();
  }

  /** Most memory that the allocator held, over all passes. */
  public long getReservedPeakBytes() {
    return getLastPass().reservedPeakBytes();
  }

  /** Reserved by requested peak; null when nothing was requested. */
  public @Nullable Double getReservedRatio() {
    long requested = trace.getRequestedPeakBytes();
    return requested == 0 ? null : (double) getReservedPeakBytes() / requested;
  }

  ReplayResult withTimesOf(ReplayResult timed) {
    List<ReplayPass> merged = new ArrayList<>();
    for (int i = 0; i < passes.size(); i++) {
      merged.add(passes.get(i).withTimesOf(timed.passes.get(i)));
    }
    return new ReplayResult(
        trace, backend, allocator, failedAllocations, driver, merged, hazards, problems, timeline);
  }
}
