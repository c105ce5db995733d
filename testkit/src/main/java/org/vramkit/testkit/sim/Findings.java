package org.vramkit.testkit.sim;

import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;

/** Puts what a run left behind into words that fit on one screen, with what repeats the run. */
final class Findings {
  /** Leaks that are shown one by one; more of them would hide the first. */
  private static final int LEAKS_SHOWN = 8;

  private static final int FRAMES_SHOWN = 4;

  private final String repetition;

  Findings(String repetition) {
    this.repetition = repetition;
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

  /** Everything that is still held, the first of it with where it was made. */
  LeakError ofLeaks(List<Leak> leaks) {
    StringBuilder text = new StringBuilder("still held after the test: ");
    text.append(counts(leaks, Leak::kind, LeakKind.class)).append(System.lineSeparator());
    leaks.stream().limit(LEAKS_SHOWN).forEach(leak -> append(text, leak));
    return new LeakError(text + repetition, leaks);
  }

  private static String others(List<HazardReport> hazards) {
    List<HazardReport> others = hazards.subList(1, hazards.size());
    return others.isEmpty()
        ? ""
        : String.format(
            "and %d more: %s%n",
            others.size(), counts(others, HazardReport::code, HazardCode.class));
  }

  private static void append(StringBuilder text, Leak leak) {
    text.append(
        String.format(
            "  %s 0x%x of device %d, %s%n",
            leak.kind(), leak.handle(), leak.device(), ByteSize.format(leak.bytes())));
    leak.stack().stream()
        .limit(FRAMES_SHOWN)
        .forEach(frame -> text.append(String.format("    at %s%n", frame)));
  }

  /** Such as {@code 2 x STREAM, 1 x EVENT}. */
  private static <T, K extends Enum<K>> String counts(
      Collection<T> things, Function<T, K> kind, Class<K> kinds) {
    Map<K, Long> counts =
        things.stream()
            .collect(
                Collectors.groupingBy(kind, () -> new EnumMap<>(kinds), Collectors.counting()));
    return counts.entrySet().stream()
        .map(entry -> entry.getValue() + " x " + entry.getKey())
        .collect(Collectors.joining(", "));
  }
}
