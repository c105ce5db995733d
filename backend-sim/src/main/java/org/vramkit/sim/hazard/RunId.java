package org.vramkit.sim.hazard;

import java.util.Objects;

/**
 * What it takes to run a program again in just the same way.
 *
 * @param seed the backend's seed
 * @param schedule name of the schedule that decided what ran when
 */
public record RunId(long seed, String schedule) {
  /** Refuses what is missing. */
  public RunId {
    Objects.requireNonNull(schedule, "schedule");
  }

  @Override
  public String toString() {
    return "seed " + seed + ", schedule " + schedule;
  }
}
