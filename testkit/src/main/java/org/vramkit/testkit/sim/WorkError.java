package org.vramkit.testkit.sim;

/**
 * A kernel's body or a host function of a test on simulated GPUs threw, and no wait of the test was
 * there to throw it again. What it threw is the cause.
 */
public final class WorkError extends AssertionError {
  private static final long serialVersionUID = 1L;

  WorkError(String message, Throwable cause) {
    super(message, cause);
  }
}
