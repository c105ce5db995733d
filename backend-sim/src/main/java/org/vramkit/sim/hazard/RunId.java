package org.vramkit.sim.hazard;

import java.util.Objects;

/**
 * The seed and schedule that reproduce a run.
 *
 * @param seed the backend's seed
 * @param schedule name of the schedule
 */
public record RunId(long seed, String schedule) {
  /** Checks that the schedule is not null. */
  public RunId {
    Objects.requireNonNull(schedule, "schedule");
  }

  @Override
  public String toString() {
    return "seed " + seed + ", schedule " + schedule;
  }
}
