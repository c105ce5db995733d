package org.vramkit.sim.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Mutation: the checker finds every synchronisation that is removed, and nothing else")
class MutationTest {
  private static final List<CorrectProgram> PROGRAMS =
      Stream.of(OrderPrograms.all(), HostPrograms.all(), MemoryPrograms.all(), PoolPrograms.all())
          .flatMap(List::stream)
          .toList();

  @TestFactory
  @DisplayName("Issue 5: one report for each line removed, none with all of them")
  Stream<DynamicNode> programs() {
    return PROGRAMS.stream().map(program -> dynamicContainer(program.title(), tests(program)));
  }

  private static List<DynamicNode> tests(CorrectProgram program) {
    List<DynamicNode> tests = new ArrayList<>();
    tests.add(dynamicTest("in full", () -> underAllSchedules(program, List.of(), program.title())));
    for (int line : program.needed()) {
      HazardCode expected = expected(program, line);
      String name = "without '" + program.lines().get(line) + "': " + expected;
      tests.add(
          dynamicTest(
              name, () -> underAllSchedules(program.without(line), List.of(expected), name)));
    }
    return tests;
  }

  private static void underAllSchedules(
      CorrectProgram program, List<HazardCode> expected, String name) {
    for (Schedule schedule : Schedule.all()) {
      assertEquals(expected, verdict(program, schedule), () -> name + ", schedule " + schedule);
    }
  }

  @Test
  @DisplayName("Issue 5: the score is 100 %, over at least 25 programs")
  void score() {
    assertTrue(PROGRAMS.size() >= 25, () -> PROGRAMS.size() + " programs");
    int removed = 0;
    int found = 0;
    for (CorrectProgram program : PROGRAMS) {
      for (int line : program.needed()) {
        List<HazardCode> expected = List.of(expected(program, line));
        removed++;
        found +=
            Schedule.all().stream()
                    .allMatch(each -> verdict(program.without(line), each).equals(expected))
                ? 1
                : 0;
      }
    }
    String score =
        String.format(
            Locale.ROOT,
            "%d of %d removed synchronisations found, in %d programs under %d schedules",
            found,
            removed,
            PROGRAMS.size(),
            Schedule.all().size());
    System.out.println(score);
    assertEquals(removed, found, score);
  }

  private static HazardCode expected(CorrectProgram program, int line) {
    return Objects.requireNonNull(program.lines().get(line).ifMissing());
  }

  private static List<HazardCode> verdict(CorrectProgram program, Schedule schedule) {
    try (Stage stage = new Stage(schedule)) {
      program.run(stage);
      return stage.getCodes();
    }
  }
}
