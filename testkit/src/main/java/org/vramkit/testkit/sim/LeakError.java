package org.vramkit.testkit.sim;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Leak;

/**
 * A test on simulated GPUs left something held. The message lists it; the stack trace is where the
 * first of it was made.
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

  /**
   * Returns all that was still held, in the order in which it was taken; none in a serialised copy.
   */
  public List<Leak> getLeaks() {
    return leaks == null ? List.of() : leaks;
  }
}
