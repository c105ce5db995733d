package org.vramkit.testkit.sim;

/**
 * Thrown when a kernel body or a host function of a test has thrown an exception that no wait of
 * the test rethrew. That exception is the cause.
 */
public final class WorkError extends AssertionError {
  private static final long serialVersionUID = 1L;

  WorkError(String message, Throwable cause) {
    super(message, cause);
  }
}
