package org.vramkit.sim.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;
import org.vramkit.sim.hazard.HazardCode;

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
    tests.add(dynamicTest("in full", () -> assertEquals(List.of(), verdict(program))));
    for (int line : program.needed()) {
      HazardCode expected = expected(program, line);
      tests.add(
          dynamicTest(
              "without '" + program.lines().get(line) + "': " + expected,
              () -> assertEquals(List.of(expected), verdict(program.without(line)))));
    }
    return tests;
  }

  @Test
  @DisplayName("Issue 5: the score is 100 %, over at least 25 programs")
  void score(TestReporter reporter) {
    assertTrue(PROGRAMS.size() >= 25, () -> PROGRAMS.size() + " programs");
    int removed = 0;
    int found = 0;
    for (CorrectProgram program : PROGRAMS) {
      for (int line : program.needed()) {
        removed++;
        found += verdict(program.without(line)).equals(List.of(expected(program, line))) ? 1 : 0;
      }
    }
    reporter.publishEntry(
        "mutation score",
        found
            + " of "
            + removed
            + " removed synchronisations found, in "
            + PROGRAMS.size()
            + " programs");
    assertEquals(removed, found);
  }

  private static HazardCode expected(CorrectProgram program, int line) {
    return Objects.requireNonNull(program.lines().get(line).ifMissing());
  }

  private static List<HazardCode> verdict(CorrectProgram program) {
    try (Stage stage = new Stage()) {
      program.run(stage);
      return stage.getCodes();
    }
  }
}
