package org.vramkit.testkit.sim;

import java.util.Objects;

/** Thrown when a test on simulated GPUs exceeds its {@link MemoryBudget}; lists the owners. */
public final class MemoryBudgetError extends AssertionError {
  private static final long serialVersionUID = 1L;

  MemoryBudgetError(String message) {
    super(message);
  }

  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage());
  }
}
