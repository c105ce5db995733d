package org.vramkit.tools.replay;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.Count;
import org.vramkit.tools.trace.Trace;

/**
 * The figures of one trace.
 *
 * @param trace what was replayed
 * @param backend name of the backend
 * @param allocator name of the allocator
 * @param checker which replays the checker judged
 * @param failedAllocations allocations that were refused, over all passes
 * @param firstRefusal the first of them; null if there is none
 * @param driver driver calls over all passes; null on a backend that counts none
 * @param passes the figures of each pass, at least one
 * @param hazards what the simulator's checker found, over all passes; null if it judged none
 * @param findings hazards and leaks, a line for each kind; empty for a good run
 * @param timeline memory over time
 */
public record ReplayResult(
    Trace trace,
    String backend,
    String allocator,
    CheckerMode checker,
    long failedAllocations,
    @Nullable Refusal firstRefusal,
    @Nullable DriverFigures driver,
    List<ReplayPass> passes,
    @Nullable Long hazards,
    List<String> findings,
    Timeline timeline) {

  /**
   * 10 ms. A program takes its first memory once, however long it runs: of less time than this that
   * is no share that would tell anything.
   */
  public static final long SHORTEST_SHARED_NANOS = 10_000_000;

  /** Copies the lists. */
  public ReplayResult {
    passes = List.copyOf(passes);
    findings = List.copyOf(findings);
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
   * Returns a pass's time at the driver as a share of the recorded time; null on a backend that
   * counts no calls, and for a recording shorter than {@link #SHORTEST_SHARED_NANOS}.
   */
  public @Nullable Double getDriverShare(ReplayPass pass) {
    DriverFigures figures = pass.driver();
    return figures == null || getRecordedNanos() < SHORTEST_SHARED_NANOS
        ? null
        : (double) figures.estimatedNanos() / getRecordedNanos();
  }

  /** Reasons why the run counts as failed, a line each; empty for a good one. */
  public List<String> getProblems() {
    List<String> problems = new ArrayList<>(findings);
    if (failedAllocations > 0) {
      problems.add(0, refusals());
    }
    return problems;
  }

  private String refusals() {
    return Count.of(failedAllocations, "allocation") + " failed, the first: " + firstRefusal;
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

  /** These figures, with the hazards of a replay with the checker and what else failed in it. */
  ReplayResult judgedBy(ReplayResult judged) {
    List<String> all = new ArrayList<>(judged.findings);
    findings.stream().filter(finding -> !all.contains(finding)).forEach(all::add);
    if (failedAllocations == 0 && judged.failedAllocations > 0) {
      all.add("with the checker " + judged.refusals());
    }
    return new ReplayResult(
        trace,
        backend,
        allocator,
        CheckerMode.BOTH,
        failedAllocations,
        firstRefusal,
        driver,
        passes,
        judged.hazards,
        all,
        timeline);
  }
}
