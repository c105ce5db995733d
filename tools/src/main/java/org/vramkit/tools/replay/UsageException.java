package org.vramkit.tools.replay;

/** What was asked for does not exist or does not fit; the message is one line with the remedy. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public UsageException(String message) {
    super(message);
  }
}
