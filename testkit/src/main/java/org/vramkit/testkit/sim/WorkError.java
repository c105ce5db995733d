package org.vramkit.testkit.sim;

/**
 * Fails a test on simulated GPUs because a kernel body or host function threw, and no wait of the
 * test threw its exception, which is the cause.
 */
public final class WorkError extends AssertionError {
  private static final long serialVersionUID = 1L;

  WorkError(String message, Throwable cause) {
    super(message, cause);
  }
}
