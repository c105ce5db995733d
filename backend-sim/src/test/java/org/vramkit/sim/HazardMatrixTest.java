package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Hazards: every scenario, and its correct twins, under every schedule")
class HazardMatrixTest {
  static final List<Scenario> SCENARIOS =
      Stream.of(
              OrderScenarios.all(),
              PoolScenarios.all(),
              PoolCopyScenarios.all(),
              NestedPoolScenarios.all(),
              LearningScenarios.all(),
              DriverMemoryScenarios.all(),
              LifeScenarios.all(),
              ContextScenarios.all(),
              HostScenarios.all(),
              FunctionScenarios.all(),
              FunctionAccessScenarios.all(),
              GraphScenarios.all(),
              GraphOwnerScenarios.all(),
              SharedMemoryScenarios.all(),
              StreamSampleScenarios.all(),
              DeviceMemorySampleScenarios.all(),
              PinnedMemorySampleScenarios.all(),
              HandOverSampleScenarios.all())
          .flatMap(List::stream)
          .toList();

  @TestFactory
  @DisplayName("The same verdict whatever runs first")
  Stream<DynamicNode> verdicts() {
    return SCENARIOS.stream()
        .map(
            scenario ->
                underAllSchedules(
                    scenario.toString(), scenario, scenario.verdict(), scenario.expected()));
  }

  @TestFactory
  @DisplayName("No report on a correct program")
  Stream<DynamicNode> twins() {
    return SCENARIOS.stream()
        .flatMap(
            scenario ->
                scenario.twins().stream()
                    .map(
                        twin ->
                            underAllSchedules(
                                scenario.number() + ", twin: " + twin.title(),
                                scenario,
                                twin.verdict(),
                                List.of())));
  }

  private static DynamicNode underAllSchedules(
      String title,
      Scenario scenario,
      Function<Scene, List<String>> verdict,
      List<String> expected) {
    return dynamicContainer(
        title,
        Schedule.all().stream()
            .map(
                schedule ->
                    dynamicTest(
                        title + " (" + schedule + ")",
                        () -> assertEquals(expected, judge(scenario, verdict, schedule)))));
  }

  private static List<String> judge(
      Scenario scenario, Function<Scene, List<String>> verdict, Schedule schedule) {
    try (Scene scene =
        new Scene(builder -> scenario.settings().apply(builder.schedule(schedule)))) {
      return verdict.apply(scene);
    }
  }

  @Test
  @DisplayName("Every scenario of the list of hazards, 1 to 25, is here")
  void complete() {
    Set<String> numbers =
        SCENARIOS.stream()
            .flatMap(scenario -> Stream.of(scenario.number().split("[^0-9]+")))
            .collect(Collectors.toSet());
    List<String> missing =
        IntStream.rangeClosed(1, 25)
            .mapToObj(String::valueOf)
            .filter(number -> !numbers.contains(number))
            .toList();
    assertEquals(List.of(), missing);
  }

  @Test
  @DisplayName("Issue 5: at least 40 correct twins")
  void enoughTwins() {
    long twins = SCENARIOS.stream().mapToLong(scenario -> scenario.twins().size()).sum();
    assertTrue(twins >= 40, () -> twins + " twins");
  }
}
