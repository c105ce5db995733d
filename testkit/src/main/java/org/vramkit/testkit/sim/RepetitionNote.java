package org.vramkit.testkit.sim;

/**
 * Tells how to repeat the run of a test that failed by itself: a suppressed exception is what every
 * runner prints beside a failure. It has no stack, since it happened nowhere.
 */
final class RepetitionNote extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RepetitionNote(String repetition) {
    super(repetition, null, false, false);
  }
}
