package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.replay.ProgramRunner;
import org.vramkit.sim.replay.Remedy;
import org.vramkit.sim.replay.ReportedRun;
import org.vramkit.sim.replay.Step;
import org.vramkit.sim.replay.StepKind;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("The remedies of reports, carried out by a machine")
class RemediesTest {
  /** The most faults of one program, each of which has a remedy of its own. */
  private static final int MOST = 8;

  private static final Set<StepKind> SYNCHRONIZATION =
      Set.of(
          StepKind.RECORD_EVENT,
          StepKind.WAIT_FOR_EVENT,
          StepKind.SYNCHRONIZE_EVENT,
          StepKind.SYNCHRONIZE_STREAM,
          StepKind.SYNCHRONIZE_STREAM_FOR_ALL,
          StepKind.SYNCHRONIZE_DEVICE,
          StepKind.QUERY_STREAM,
          StepKind.QUERY_EVENT,
          StepKind.TELL_USED,
          StepKind.ENABLE_PEER,
          StepKind.SET_ACCESS,
          StepKind.PUBLISH,
          StepKind.RECEIVE);

  static Stream<Scenario> scenarios() {
    return HazardMatrixTest.SCENARIOS.stream().filter(scenario -> !scenario.isAboutLeaks());
  }

  private static Program recorded(
      Scenario scenario, Function<Scene, List<String>> verdict, List<String> expected) {
    try (Scene scene =
        new Scene(
            builder ->
                scenario
                    .settings()
                    .apply(builder.schedule(Schedule.timed()))
                    .recorder(new ProgramRecorder()))) {
      assertEquals(expected, verdict.apply(scene));
      return Program.of(scene.backend);
    }
  }

  /** Carries out one remedy after the other, until no report is left. */
  private static void repair(Program program) {
    ReportedRun run = ReportedRun.of(program);
    StringBuilder story = new StringBuilder();
    for (int i = 0; i < MOST && !run.reports().isEmpty(); i++) {
      HazardReport first = run.reports().get(0);
      story.append(run.program()).append(first).append('\n');
      run = ReportedRun.of(Remedy.carryOut(run, first));
    }
    assertEquals(List.of(), run.reports(), story.append(run.program())::toString);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  @DisplayName("end the reports of each scenario")
  void ofScenarios(Scenario scenario) {
    repair(recorded(scenario, scenario.verdict(), scenario.expected()));
  }

  /** Removes one synchronization after the other from a correct program. */
  private static void mutate(Program whole, Consumer<Program> judge) {
    for (Step removed : whole.steps()) {
      if (SYNCHRONIZATION.contains(removed.kind())) {
        List<Step> others = new ArrayList<>(whole.steps());
        others.remove(removed);
        judge.accept(whole.with(others));
      }
    }
  }

  private static List<HazardCode> verdict(Program program, Schedule schedule) {
    return ProgramRunner.run(program.on(program.setup().withSchedule(schedule))).hazards().stream()
        .map(HazardReport::code)
        .toList();
  }

  @Test
  @DisplayName(
      "end the reports of each synchronization that is removed from a correct program, which are"
          + " the same on all schedules")
  void ofRemovedSynchronization() {
    List<Integer> reports = new ArrayList<>();
    // Schedules take turns: there are hundreds of programs for each.
    List<Schedule> schedules = Schedule.all();
    scenarios()
        .flatMap(
            scenario ->
                scenario.twins().stream()
                    .map(twin -> recorded(scenario, twin.verdict(), List.of())))
        .forEach(
            correct ->
                mutate(
                    correct,
                    mutant -> {
                      List<HazardCode> found = verdict(mutant, Schedule.timed());
                      Schedule other = schedules.get(reports.size() % schedules.size());
                      assertEquals(found, verdict(mutant, other), () -> other + "\n" + mutant);
                      repair(mutant);
                      reports.add(found.size());
                    }));
    long reported = reports.stream().filter(number -> number > 0).count();
    long several = reports.stream().filter(number -> number > 1).count();
    String score =
        "%s of %s removed synchronizations are reported, %s of them more than once"
            .formatted(reported, reports.size(), several);
    // The others order what other synchronization orders too, or nothing.
    assertTrue(reports.size() > 400 && 3 * reported > 2L * reports.size(), score);
    assertTrue(20 * several < reported, score);
  }
}
