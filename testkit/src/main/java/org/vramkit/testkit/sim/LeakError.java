package org.vramkit.testkit.sim;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Leak;

/**
 * Fails a test on simulated GPUs because of leaks. The message lists them; the stack trace is that
 * of the creation of the first.
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

  /** Returns the leaks in the order of creation; none in a deserialized copy. */
  public List<Leak> getLeaks() {
    return leaks == null ? List.of() : leaks;
  }
}
