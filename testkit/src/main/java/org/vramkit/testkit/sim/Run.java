package org.vramkit.testkit.sim;

import org.vramkit.sim.SimBackend;
import org.vramkit.sim.schedule.Schedule;

/**
 * What decides how the simulator behaves in one run of a test.
 *
 * @param seed where everything random comes from
 * @param schedule in which order queued work runs
 */
record Run(long seed, Schedule schedule) {

  /** The options that repeat this run. */
  String toOptions() {
    return "-D"
        + SimBackend.SEED_PROPERTY
        + "="
        + seed
        + " -D"
        + Schedule.PROPERTY
        + "="
        + schedule;
  }

  @Override
  public String toString() {
    return "seed " + seed + ", " + schedule;
  }
}
