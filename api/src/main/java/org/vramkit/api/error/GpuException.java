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
   * Creates the exception. If a driver call failed, its status is appended to the message, unless
   * the message contains it, as the message of a wrapped exception does.
   *
   * @param message what was wanted, what was found, what to do
   * @param status the driver's status, or {@link DriverStatus#NONE}
   * @param cause the cause, if any
   */
  protected GpuException(String message, DriverStatus status, @Nullable Throwable cause) {
    super(withStatus(message, status), cause);
    this.status = status;
  }

  private static String withStatus(String message, DriverStatus status) {
    String suffix = status.isFromDriver() ? " [" + status + "]" : "";
    return message.contains(suffix) ? message : message + suffix;
  }

  /**
   * Returns the driver's status, or {@link DriverStatus#NONE} if Vramkit detected the error itself.
   */
  public DriverStatus getStatus() {
    return status == null ? DriverStatus.NONE : status;
  }
}
