package org.vramkit.api.error;

/**
 * Thrown when an argument is out of range, belongs to another device, or overflows. The call has
 * changed nothing.
 */
public class InvalidArgumentException extends GpuException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception without a driver call.
   *
   * @param message what was wanted, what was found, what to do
   */
  public InvalidArgumentException(String message) {
    super(message, DriverStatus.NONE, null);
  }

  /**
   * Creates the exception for a failed driver call.
   *
   * @param message what was wanted, what was found, what to do
   * @param status the driver's status
   */
  public InvalidArgumentException(String message, DriverStatus status) {
    super(message, status, null);
  }
}
