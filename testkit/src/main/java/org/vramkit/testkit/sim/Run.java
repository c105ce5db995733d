package org.vramkit.testkit.sim;

/**
 * What decides how the simulator behaves in one run of a test.
 *
 * @param seed where everything random comes from
 */
record Run(long seed) {
  /** The property that pins the seed. */
  static final String SEED = "vramkit.seed";

  /** The options that repeat this run. */
  String toOptions() {
    return "-D" + SEED + "=" + seed;
  }

  @Override
  public String toString() {
    return "seed " + seed;
  }
}
