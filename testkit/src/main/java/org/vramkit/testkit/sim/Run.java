package org.vramkit.testkit.sim;

import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.JUnitException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.schedule.Schedule;

/**
 * The seed and schedule of one run of a test. A pinned seed or schedule overrides the annotation;
 * JUnit's configuration parameters include system properties.
 *
 * @param seed the seed of all random values
 * @param schedule the order in which queued work runs
 */
record Run(long seed, Schedule schedule) {

  /** Returns the run of a test that is not repeated. */
  static Run single(ExtensionContext context) {
    SimulatedGpu settings = GpuSettings.of(context);
    return new Run(
        pinnedSeed(context).orElse(settings.seed()),
        pinnedSchedule(context).orElseGet(() -> Schedule.of(settings.schedule())));
  }

  static Optional<Schedule> pinnedSchedule(ExtensionContext context) {
    return context.getConfigurationParameter(Schedule.PROPERTY).map(Schedule::of);
  }

  static Optional<Long> pinnedSeed(ExtensionContext context) {
    return context.getConfigurationParameter(SimBackend.SEED_PROPERTY).map(Run::parseSeed);
  }

  private static Long parseSeed(String text) {
    try {
      return Long.valueOf(text.strip());
    } catch (NumberFormatException e) {
      throw new JUnitException(
          SimBackend.SEED_PROPERTY + " must be a whole number, such as 7, not '" + text + "'", e);
    }
  }

  /** Returns the options that repeat this run. */
  String toOptions() {
    return String.format(
        "-D%s=%d -D%s=%s", SimBackend.SEED_PROPERTY, seed, Schedule.PROPERTY, schedule);
  }

  @Override
  public String toString() {
    return "seed " + seed + ", " + schedule;
  }
}
