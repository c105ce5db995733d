package org.vramkit.testkit.sim;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Leak;

/**
 * Thrown when a test on simulated GPUs leaks resources. The message lists the leaked resources. The
 * stack trace is that of the call that created the first resource.
 */
public final class LeakError extends AssertionError {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable List<Leak> leaks;

  LeakError(String message, List<Leak> leaks) {
    super(message);
    this.leaks = List.copyOf(leaks);
    if (!leaks.isEmpty() && !leaks.get(0).stack().isEmpty()) {
      setStackTrace(leaks.get(0).stack().toArray(StackTraceElement[]::new));
    }
  }

  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage());
  }

  /** Returns the leaks in the order of creation; empty in a deserialized copy. */
  public List<Leak> getLeaks() {
    return leaks == null ? List.of() : leaks;
  }
}
