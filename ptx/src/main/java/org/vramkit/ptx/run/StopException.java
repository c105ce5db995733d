package org.vramkit.ptx.run;

/** Ends a launch early: the finding that says why has been reported. */
final class StopException extends RuntimeException {
  private static final long serialVersionUID = 1;

  StopException() {
    super("the launch stops", null, false, false);
  }
}
