package org.vramkit.api.error;

/**
 * A handle was used after it was closed. Closing twice is harmless; anything else is this error.
 */
public class ClosedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message which handle, and what was tried
   */
  public ClosedException(String message) {
    super(message);
  }
}
