package org.vramkit.api.error;

/**
 * Thrown when the process's CUDA context is lost, after an illegal address or a similar error. From
 * then on every GPU call of the process fails with the same error, and a reset does not help. Start
 * a new process instead of retrying in this one.
 */
public class FatalDeviceException extends GpuException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception without a driver call.
   *
   * @param message what was wanted, what was found, what to do
   */
  public FatalDeviceException(String message) {
    super(message, DriverStatus.NONE, null);
  }

  /**
   * Creates the exception for a failed driver call.
   *
   * @param message what was wanted, what was found, what to do
   * @param status the driver's status
   */
  public FatalDeviceException(String message, DriverStatus status) {
    super(message, status, null);
  }
}
