package org.vramkit.api.error;

import org.jspecify.annotations.Nullable;

/**
 * The base class of Vramkit's exceptions about a GPU. Unchecked; carries the driver's status if a
 * driver call failed.
 */
public abstract class GpuException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient DriverStatus status;

  /**
   * Creates the exception; the status is appended to the message when a driver was involved.
   *
   * @param message what was wanted, what was found, what to do
   * @param status the driver's status, or {@link DriverStatus#NONE}
   * @param cause the cause, if any
   */
  protected GpuException(String message, DriverStatus status, @Nullable Throwable cause) {
    super(status.isFromDriver() ? message + " [" + status + "]" : message, cause);
    this.status = status;
  }

  /** Returns the driver's status; {@link DriverStatus#NONE} if no driver call was made. */
  public DriverStatus getStatus() {
    return status == null ? DriverStatus.NONE : status;
  }
}
