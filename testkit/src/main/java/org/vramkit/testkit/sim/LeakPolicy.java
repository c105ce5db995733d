package org.vramkit.testkit.sim;

/** The reaction to a test that leaks memory, streams or other device resources. */
public enum LeakPolicy {
  /** The test fails with a {@link LeakError}. */
  FAIL,
  /** The test passes. */
  ALLOW
}
