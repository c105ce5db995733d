package org.vramkit.api.error;

/**
 * A handle was used after it was closed. Closing twice is harmless; anything else is this error.
 */
public class ClosedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception with a message that has all three: <i>what</i> is closed:
   * <i>consequence</i>; <i>remedy</i>.
   *
   * @param what which handle, as the subject of a sentence
   * @param consequence what cannot be had of it any more, as a sentence of its own
   * @param remedy what to do instead
   */
  public ClosedException(Object what, String consequence, String remedy) {
    this(what + " is closed: " + consequence + "; " + remedy);
  }

  /**
   * Creates the exception.
   *
   * @param message which handle, and what was tried
   */
  public ClosedException(String message) {
    super(message);
  }
}
