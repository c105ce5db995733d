package org.vramkit.api.error;

/** Thrown when a closed handle is used. Closing a handle twice is harmless. */
public class ClosedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception with the message "<i>what</i> is closed: <i>consequence</i>;
   * <i>remedy</i>".
   *
   * @param what the handle, as the subject of a sentence
   * @param consequence what is no longer possible, as a sentence
   * @param remedy what to do instead
   */
  public ClosedException(Object what, String consequence, String remedy) {
    this(what + " is closed: " + consequence + "; " + remedy);
  }

  /**
   * Creates the exception.
   *
   * @param message the handle and the attempted call
   */
  public ClosedException(String message) {
    super(message);
  }
}
