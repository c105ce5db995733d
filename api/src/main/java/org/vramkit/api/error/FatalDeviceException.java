package org.vramkit.api.error;

/**
 * The process's CUDA is lost: an illegal address or a like error was met. Every GPU of the process
 * answers the same error from now on and no reset helps; only a new process does. Nothing may retry
 * in this process.
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
   * @param status what the driver said
   */
  public FatalDeviceException(String message, DriverStatus status) {
    super(message, status, null);
  }
}
