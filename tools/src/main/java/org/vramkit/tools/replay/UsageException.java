package org.vramkit.tools.replay;

/** Thrown for an invalid request. The message is one line and names the remedy. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public UsageException(String message) {
    super(message);
  }
}
