package org.vramkit.testkit.sim;

import org.vramkit.sim.SimBackend;

/** Told of the end of a run, before its simulator is closed. */
interface RunListener {
  /** Nobody. */
  RunListener NONE = (backend, failed) -> {};

  /**
   * A run has ended.
   *
   * @param backend its simulator
   * @param failed whether the test failed, by itself or by what it left behind
   */
  void ended(SimBackend backend, boolean failed);
}
