package org.vramkit.testkit.sim;

/** Decides about a test that leaves memory, streams or anything else of its devices held. */
public enum LeakPolicy {
  /** It fails with a {@link LeakError}. */
  FAIL,
  /** It passes. */
  ALLOW
}
