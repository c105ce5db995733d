package org.vramkit.api.error;

/**
 * Thrown when the device or its binding lacks a capability. The message names the missing
 * capability and a remedy.
 */
public class NotSupportedException extends GpuException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception without a driver call.
   *
   * @param message what was wanted, what was found, what to do
   */
  public NotSupportedException(String message) {
    super(message, DriverStatus.NONE, null);
  }

  /**
   * Creates the exception for a failed driver call.
   *
   * @param message what was wanted, what was found, what to do
   * @param status the driver's status
   */
  public NotSupportedException(String message, DriverStatus status) {
    super(message, status, null);
  }
}
