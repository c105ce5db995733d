package org.vramkit.testkit.sim;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.HazardReport;

/**
 * Thrown when a test on simulated GPUs has hazards, or lacks expected ones. The message contains
 * the first report, the kinds of the other reports, and the options that repeat the run. The stack
 * trace is that of the access at which the first hazard was found.
 */
public final class HazardError extends AssertionError {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable List<HazardReport> reports;

  HazardError(String message, List<HazardReport> reports) {
    super(message);
    this.reports = List.copyOf(reports);
    if (!reports.isEmpty() && !reports.get(0).later().stack().isEmpty()) {
      setStackTrace(reports.get(0).later().stack().toArray(StackTraceElement[]::new));
    }
  }

  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage());
  }

  /** Returns the checker's findings in their order; empty in a deserialized copy. */
  public List<HazardReport> getReports() {
    return reports == null ? List.of() : reports;
  }
}
