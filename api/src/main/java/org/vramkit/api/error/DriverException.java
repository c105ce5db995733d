package org.vramkit.api.error;

/**
 * Thrown when a driver call fails with an error that has no exception type of its own. {@link
 * #getStatus} gives the driver's error.
 */
public class DriverException extends GpuException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception without a driver call.
   *
   * @param message what was wanted, what was found, what to do
   */
  public DriverException(String message) {
    super(message, DriverStatus.NONE, null);
  }

  /**
   * Creates the exception for a failed driver call.
   *
   * @param message what was wanted, what was found, what to do
   * @param status the driver's status
   */
  public DriverException(String message, DriverStatus status) {
    super(message, status, null);
  }
}
