package org.vramkit.testkit.sim;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.JUnitException;
import org.vramkit.api.units.Count;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.schedule.Schedule;

/**
 * Which runs a test makes. What is pinned comes before what is annotated; JUnit's configuration
 * parameters include the system properties of the same names.
 */
final class Runs {
  private Runs() {}

  /** The run of a test that is made once. */
  static Run single(ExtensionContext context) {
    GpuSettings settings = GpuSettings.of(context);
    return new Run(
        pinnedSeed(context).orElse(settings.getSeed()),
        pinnedSchedule(context).orElseGet(settings::getSchedule));
  }

  /** The runs of a repeated test, made one by one: all schedules with the first seed, and so on. */
  static Stream<Run> repeated(ExtensionContext context, SimulatedTest repeated) {
    if (repeated.seeds() < 1 || repeated.schedules().length == 0) {
      throw new JUnitException(
          "@SimulatedTest needs at least one seed and one schedule; got "
              + Count.of(repeated.seeds(), "seed")
              + " and "
              + Count.of(repeated.schedules().length, "schedule"));
    }
    List<Schedule> schedules =
        pinnedSchedule(context)
            .map(List::of)
            .orElseGet(() -> Arrays.stream(repeated.schedules()).map(Schedule::of).toList());
    long first = GpuSettings.of(context).getSeed();
    return pinnedSeed(context)
        .map(LongStream::of)
        .orElseGet(() -> LongStream.range(first, first + repeated.seeds()))
        .boxed()
        .flatMap(seed -> schedules.stream().map(schedule -> new Run(seed, schedule)));
  }

  static Optional<Schedule> pinnedSchedule(ExtensionContext context) {
    return context.getConfigurationParameter(Schedule.PROPERTY).map(Schedule::of);
  }

  private static Optional<Long> pinnedSeed(ExtensionContext context) {
    return context.getConfigurationParameter(SimBackend.SEED_PROPERTY).map(Runs::seed);
  }

  private static Long seed(String text) {
    try {
      return Long.valueOf(text.strip());
    } catch (NumberFormatException e) {
      throw new JUnitException(
          SimBackend.SEED_PROPERTY + " is not a whole number, such as 7: '" + text + "'", e);
    }
  }
}
