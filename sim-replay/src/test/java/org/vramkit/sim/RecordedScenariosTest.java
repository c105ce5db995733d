package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.replay.ProgramRun;
import org.vramkit.sim.replay.ProgramRunner;
import org.vramkit.sim.replay.ProgramShrinker;
import org.vramkit.sim.replay.ReportKind;
import org.vramkit.sim.replay.ReportSignature;
import org.vramkit.sim.replay.ShrunkProgram;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Every scenario's program holds all that its reports need")
@Tag("nightly")
class RecordedScenariosTest {
  @TempDir private Path folder = Path.of("");

  /** All scenarios, each under a schedule that keeps work back and one that does not. */
  static Stream<Arguments> scenarios() {
    return HazardMatrixTest.SCENARIOS.stream()
        .flatMap(
            scenario ->
                Stream.of(Schedule.timed(), Schedule.lazy())
                    .map(schedule -> Arguments.of(scenario, schedule)));
  }

  static Stream<Arguments> twins() {
    return scenarios()
        .flatMap(
            pair ->
                ((Scenario) pair.get()[0])
                    .twins().stream()
                        .map(twin -> Arguments.of(pair.get()[0], twin, pair.get()[1])));
  }

  private record Recorded(List<String> verdict, ProgramRun run) {}

  /** Runs a program, stores what was recorded, and runs what is read from the file. */
  private Recorded recorded(
      Scenario scenario, Function<Scene, List<String>> program, Schedule schedule) {
    try (Scene scene =
        new Scene(
            builder ->
                scenario
                    .settings()
                    .apply(builder.schedule(schedule))
                    .recorder(new ProgramRecorder()))) {
      List<String> verdict = program.apply(scene);
      Path file = folder.resolve("program.json");
      Program stored = Program.of(scene.backend);
      stored.store(file);
      Program read = Program.load(file);
      assertEquals(stored, read);
      return new Recorded(verdict, ProgramRunner.run(read));
    }
  }

  /** The reports of a run that a verdict speaks of. */
  private static List<ReportSignature> judged(Scenario scenario, ProgramRun run) {
    return scenario.isAboutLeaks()
        ? run.getSignatures(ReportKind.LEAK)
        : Stream.concat(
                run.getSignatures().stream(), run.getSignatures(ReportKind.WARNING).stream())
            .toList();
  }

  private static List<String> names(Scenario scenario, ProgramRun run) {
    return scenario.isAboutLeaks()
        ? run.leaks().stream().map(leak -> leak.kind().name()).toList()
        : judged(scenario, run).stream().map(ReportSignature::code).toList();
  }

  @ParameterizedTest(name = "{0} ({1})")
  @MethodSource("scenarios")
  @DisplayName("It gives the same reports when it runs from its file")
  void runs(Scenario scenario, Schedule schedule) {
    Recorded recorded = recorded(scenario, scenario.verdict(), schedule);
    assertEquals(scenario.expected(), recorded.verdict());
    assertEquals(
        recorded.verdict(),
        names(scenario, recorded.run()),
        () -> recorded.run().program().toString());
    assertEquals(0, recorded.run().skipped(), () -> recorded.run().program().toString());
  }

  @ParameterizedTest(name = "{0} ({1})")
  @MethodSource("scenarios")
  @DisplayName("It shrinks to no more steps that give the same report")
  void shrinks(Scenario scenario, Schedule schedule) {
    ProgramRun run = recorded(scenario, scenario.verdict(), schedule).run();
    for (ReportSignature wanted : judged(scenario, run)) {
      ShrunkProgram shrunk = new ProgramShrinker().shrink(run.program(), wanted);
      List<ReportSignature> left = judged(scenario, ProgramRunner.run(shrunk.program()));
      assertTrue(left.contains(wanted), () -> wanted + " is not among " + left);
      assertTrue(
          shrunk.program().steps().size() <= run.program().steps().size(),
          () -> shrunk.program().toString());
      assertTrue(shrunk.minimal(), () -> shrunk.program().toString());
    }
  }

  @ParameterizedTest(name = "{0}, twin: {1} ({2})")
  @MethodSource("twins")
  @DisplayName("A correct program gives no report when it runs from its file")
  void correct(Scenario scenario, Scenario.Twin twin, Schedule schedule) {
    Recorded recorded = recorded(scenario, twin.verdict(), schedule);
    assertEquals(List.of(), recorded.verdict());
    ProgramRun run = recorded.run();
    assertEquals(List.of(), run.hazards(), () -> run.program().toString());
    assertEquals(List.of(), run.warnings(), () -> run.program().toString());
  }
}
