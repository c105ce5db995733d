package org.vramkit.sim;

/** What a captured call does with each launch of its graph. */
@FunctionalInterface
interface GraphStep {

  /** Does it. Locked. */
  void launch(GraphLaunch launch);
}
