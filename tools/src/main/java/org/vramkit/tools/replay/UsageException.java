package org.vramkit.tools.replay;

/** Bad usage: the request does not fit; the message is one line with the remedy. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public UsageException(String message) {
    super(message);
  }
}
