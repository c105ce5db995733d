package org.vramkit.ptx.report;

import java.util.Objects;

/** Thrown if a text is not PTX, is wrong, or contains what is not simulated. */
public final class PtxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final PtxStatus status;
  private final int line;
  private final String log;

  /** Creates an error that no line has, and no log. */
  public PtxException(PtxStatus status, String message) {
    this(status, 0, message, "");
  }

  /**
   * Creates an error.
   *
   * @param line line in the PTX text, from 1; 0 if the error has none
   * @param log the messages as the driver's compiler writes them, one a line; may be empty
   */
  public PtxException(PtxStatus status, int line, String message, String log) {
    super(message);
    this.status = Objects.requireNonNull(status, "status");
    this.line = line;
    this.log = Objects.requireNonNull(log, "log");
  }

  /** Returns the kind of the error. */
  public PtxStatus getStatus() {
    return status;
  }

  /** Returns the line in the PTX text, from 1; 0 if the error has none. */
  public int getLine() {
    return line;
  }

  /** Returns the messages as the driver writes them to its error log; may be empty. */
  public String getLog() {
    return log;
  }
}
