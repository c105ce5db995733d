package org.vramkit.testkit.sim;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.vramkit.api.units.Count;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakReport;

/** Puts what a run left behind into words that fit on one screen, with what repeats the run. */
final class Findings {
  private final String repetition;

  /**
   * Findings of a run.
   *
   * @param holders what held work back, which therefore was not judged by what it does
   * @param stacksLeftOut how many operations were called nobody knows where
   * @param repetition what repeats the run
   */
  Findings(List<String> holders, long stacksLeftOut, String repetition) {
    this.repetition =
        (holders.isEmpty()
                ? ""
                : "queued work did not run: " + String.join("; ", holders) + System.lineSeparator())
            + (stacksLeftOut == 0
                ? ""
                : "the lines of the last "
                    + Count.of(stacksLeftOut, "operation")
                    + " were not noted: set a higher @SimulatedGpu(maxStacks) to see them"
                    + System.lineSeparator())
            + repetition;
  }

  /** The first hazard in full, the others by their kinds. */
  HazardError of(List<HazardReport> hazards) {
    return new HazardError(hazards.get(0) + others(hazards) + repetition, hazards);
  }

  /** What was found in place of what the test expects. */
  HazardError ofOthersThan(
      List<HazardCode> expected, List<HazardCode> found, List<HazardReport> hazards) {
    String firstUnexpected =
        hazards.stream()
            .filter(hazard -> !expected.contains(hazard.code()))
            .map(HazardReport::toString)
            .findFirst()
            .orElse("");
    return new HazardError(
        String.format(
            "expected hazards %s, found %s%n%s%s",
            expected, found.isEmpty() ? "none" : found, firstUnexpected, repetition),
        hazards);
  }

  /** What work threw when nobody waited for it. */
  WorkError ofWork(Throwable thrown) {
    return new WorkError(
        String.format(
            "a kernel's body or a host function threw %s, and no wait did so again; wait for its"
                + " stream where the test can handle it%n%s",
            thrown, repetition),
        thrown);
  }

  /** Everything that is still held. */
  LeakError ofLeaks(List<Leak> leaks) {
    return new LeakError(new LeakReport(leaks) + repetition, leaks);
  }

  private static String others(List<HazardReport> hazards) {
    List<HazardReport> others = hazards.subList(1, hazards.size());
    return others.isEmpty()
        ? ""
        : String.format("and %d more: %s%n", others.size(), counts(others));
  }

  /** Such as {@code 2 x RACE_RAW, 1 x DOUBLE_FREE}. */
  private static String counts(List<HazardReport> hazards) {
    Map<HazardCode, Long> counts =
        hazards.stream()
            .collect(
                Collectors.groupingBy(
                    HazardReport::code,
                    () -> new EnumMap<>(HazardCode.class),
                    Collectors.counting()));
    return counts.entrySet().stream()
        .map(entry -> entry.getValue() + " x " + entry.getKey())
        .collect(Collectors.joining(", "));
  }
}
