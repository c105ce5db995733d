package org.vramkit.tools.trace;

/** A trace that cannot be used. The message is one line: where, what was found, what to do. */
public final class TraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TraceException(String where, String problem) {
    super(where + ": " + Text.printable(problem, 400));
  }
}
