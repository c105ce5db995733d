package org.vramkit.api.error;

import org.jspecify.annotations.Nullable;

/**
 * The base class of the unchecked exceptions that Vramkit throws when a GPU call fails. {@link
 * #getStatus} returns the driver's status.
 */
public abstract class GpuException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient DriverStatus status;

  /**
   * Creates the exception. If a driver call failed, its status is appended to the message.
   *
   * @param message what was wanted, what was found, what to do
   * @param status the driver's status, or {@link DriverStatus#NONE}
   * @param cause the cause, if any
   */
  protected GpuException(String message, DriverStatus status, @Nullable Throwable cause) {
    super(status.isFromDriver() ? message + " [" + status + "]" : message, cause);
    this.status = status;
  }

  /**
   * Returns the driver's status, or {@link DriverStatus#NONE} if Vramkit detected the error itself.
   */
  public DriverStatus getStatus() {
    return status == null ? DriverStatus.NONE : status;
  }
}
