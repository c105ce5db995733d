package org.vramkit.api.error;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when no backend can be used, because none is on the class path, the requested backend is
 * unknown, or none can access a GPU on this machine. The message gives the reason for each backend
 * on the class path.
 */
public class BackendNotAvailableException extends GpuException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was wanted, what was found, what to do
   */
  public BackendNotAvailableException(String message) {
    this(message, null);
  }

  /**
   * Creates the exception with the error that kept the backend from loading.
   *
   * @param message what was wanted, what was found, what to do
   * @param cause the first load error; null if there was none
   */
  public BackendNotAvailableException(String message, @Nullable Throwable cause) {
    super(message, DriverStatus.NONE, cause);
  }
}
