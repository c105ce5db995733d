package org.vramkit.api.error;

/**
 * Thrown when the driver refuses a call for a reason without an exception type of its own; see the
 * status.
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
   * @param status what the driver said
   */
  public DriverException(String message, DriverStatus status) {
    super(message, status, null);
  }
}
