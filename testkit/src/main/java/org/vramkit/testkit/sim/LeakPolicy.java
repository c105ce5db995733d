package org.vramkit.testkit.sim;

/** The treatment of a test with leaks. */
public enum LeakPolicy {
  /** The test fails with a {@link LeakError}. */
  FAIL,
  /** The test passes. */
  ALLOW
}
