package org.vramkit.tools.replay;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.Count;
import org.vramkit.tools.trace.Trace;

/**
 * The result of replaying one trace.
 *
 * @param trace the replayed trace
 * @param backend name of the backend
 * @param allocator name of the allocator
 * @param checker which replays the checker checked
 * @param failedAllocations failed allocations over all passes
 * @param firstRefusal the first failed allocation; null if none failed
 * @param driver driver calls over all passes; null if the backend does not count them
 * @param passes the figures of each pass, at least one
 * @param hazards hazards over all passes; null without the checker
 * @param findings hazards and leaks, a line for each kind; empty for a good run
 * @param timeline memory over time in the first pass
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
   * The shortest recording, 10 ms, for which a share of driver time is computed. In shorter
   * recordings, the one-time cost of the first memory dominates.
   */
  public static final long SHORTEST_SHARED_NANOS = 10_000_000;

  /** Copies the lists. */
  public ReplayResult {
    passes = List.copyOf(passes);
    findings = List.copyOf(findings);
  }

  /** Returns the first pass, which starts with an empty allocator. */
  public ReplayPass getFirstPass() {
    return passes.get(0);
  }

  /** Returns the last pass, which shows the steady state. */
  public ReplayPass getLastPass() {
    return passes.get(passes.size() - 1);
  }

  /** Returns the time from the recording's first event to its last, in nanoseconds. */
  public long getRecordedNanos() {
    return trace.getNanos(trace.getEventCount() - 1);
  }

  /**
   * Returns a pass's driver time as a share of the recorded time; null if the backend does not
   * count calls or the recording is shorter than {@link #SHORTEST_SHARED_NANOS}.
   */
  public @Nullable Double getDriverShare(ReplayPass pass) {
    DriverFigures figures = pass.driver();
    return figures == null || getRecordedNanos() < SHORTEST_SHARED_NANOS
        ? null
        : (double) figures.estimatedNanos() / getRecordedNanos();
  }

  /** Returns a line for each reason why the run counts as failed; empty for a good run. */
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

  /** Returns the peak of reserved memory over all passes. */
  public long getReservedPeakBytes() {
    return getLastPass().reservedPeakBytes();
  }

  /** Returns the reserved peak divided by the requested peak; null if nothing was requested. */
  public @Nullable Double getReservedRatio() {
    long requested = trace.getRequestedPeakBytes();
    return requested == 0 ? null : (double) getReservedPeakBytes() / requested;
  }

  /** Returns these figures with another description of the first failure. */
  ReplayResult withRefusal(Refusal refusal) {
    return new ReplayResult(
        trace,
        backend,
        allocator,
        checker,
        failedAllocations,
        refusal,
        driver,
        passes,
        hazards,
        findings,
        timeline);
  }

  /** Returns these figures with the hazards and the additional problems of {@code checked}. */
  ReplayResult withHazardsOf(ReplayResult checked) {
    List<String> all = new ArrayList<>(checked.findings);
    findings.stream().filter(finding -> !all.contains(finding)).forEach(all::add);
    if (failedAllocations == 0 && checked.failedAllocations > 0) {
      all.add("with the checker " + checked.refusals());
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
        checked.hazards,
        all,
        timeline);
  }
}
