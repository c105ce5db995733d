package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.replay.Remedy;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("The remedy of each report")
class RemediesTest {
  /** The most faults of one scenario, each of which has a remedy of its own. */
  private static final int MOST = 8;

  static Stream<Scenario> scenarios() {
    return HazardMatrixTest.SCENARIOS.stream().filter(scenario -> !scenario.isAboutLeaks());
  }

  private static Program recorded(Scenario scenario) {
    try (Scene scene =
        new Scene(
            builder ->
                scenario
                    .settings()
                    .apply(builder.schedule(Schedule.timed()))
                    .recorder(new ProgramRecorder()))) {
      assertEquals(scenario.expected(), scenario.verdict().apply(scene));
      return Program.of(scene.backend);
    }
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  @DisplayName("carried out one after the other, ends the reports of a scenario")
  void works(Scenario scenario) {
    Remedy.Run run = Remedy.run(recorded(scenario));
    StringBuilder story = new StringBuilder();
    for (int i = 0; i < MOST && !run.reports().isEmpty(); i++) {
      HazardReport first = run.reports().get(0);
      story.append(run.program()).append(first).append('\n');
      run = Remedy.run(Remedy.carryOut(run, first));
    }
    List<HazardReport> left = run.reports();
    assertEquals(List.of(), left, story.append(run.program())::toString);
  }
}
