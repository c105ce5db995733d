package org.vramkit.sim.replay;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.HazardReport;

/**
 * A program after its run. Each step runs under the name of its number as the name of its thread,
 * so that the accesses of a report name their steps.
 *
 * @param reports the hazards, then the warnings
 * @param streams the operands of the streams, by their names in reports
 */
public record ReportedRun(
    Program program, List<HazardReport> reports, Map<String, Integer> streams) {
  private static final String STEP = "step ";

  /** Runs a program. */
  public static ReportedRun of(Program program) {
    ProgramSetup setup = program.setup();
    SimBackend.Builder builder =
        SimBackend.builder()
            .seed(setup.seed())
            .schedule(setup.schedule())
            .bytes(setup.bytes())
            .checker(setup.checker())
            .patience(Duration.ZERO);
    setup.devices().forEach(builder::device);
    Map<String, Integer> streams = new HashMap<>();
    try (SimBackend backend = builder.build();
        ReplayThreads threads = new ReplayThreads(program)) {
      Stage[] stage = new Stage[1];
      stage[0] = new Stage(backend, program.steps(), step -> perform(stage[0], step, streams));
      for (Step step : program.steps()) {
        if (step.kind() == StepKind.END_THREAD) {
          threads.end(step.thread());
        } else if (step.inside() == 0) {
          threads.run(step.thread(), () -> perform(stage[0], step, streams));
        }
      }
      return new ReportedRun(
          program,
          Stream.concat(backend.getHazards().stream(), backend.getWarnings().stream()).toList(),
          streams);
    }
  }

  private static void perform(Stage stage, Step step, Map<String, Integer> streams) {
    Thread here = Thread.currentThread();
    String before = here.getName();
    here.setName(STEP + step.number());
    try {
      if (stage.has(step)) {
        step.kind().call(stage, step);
        if (step.kind().getMade() == OperandKind.STREAM) {
          Step user = Step.of(1, 0, StepKind.SYNCHRONIZE_STREAM).using(List.of(step.makes()));
          streams.put(stage.stream(user).toString(), step.makes());
        }
      }
    } catch (GpuException | ClosedException e) {
      // What is wrong is reported.
    } finally {
      here.setName(before);
    }
  }

  /** Returns the number of the step of an access. */
  static int numberOf(Access access) {
    if (!access.thread().startsWith(STEP)) {
      throw new IllegalStateException("no step of " + access);
    }
    return Integer.parseInt(access.thread().substring(STEP.length()));
  }
}
