package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.hazard.NearestOrder;
import org.vramkit.sim.hazard.RunId;
import org.vramkit.sim.hazard.Shortfall;
import org.vramkit.sim.replay.ByteRange;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.replay.ProgramRun;
import org.vramkit.sim.replay.ProgramRunner;
import org.vramkit.sim.replay.ProgramSetup;
import org.vramkit.sim.replay.ProgramShrinker;
import org.vramkit.sim.replay.ProgramThread;
import org.vramkit.sim.replay.ReportSignature;
import org.vramkit.sim.replay.ShrunkProgram;
import org.vramkit.sim.replay.Step;
import org.vramkit.sim.replay.StepFailure;
import org.vramkit.sim.replay.StepFault;
import org.vramkit.sim.replay.StepKind;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("A null is refused by the name of what it was given for, where programs are concerned")
class NullProgramArgumentsTest {
  private static HazardReport report() {
    Access access = new Access("a", 1, "s", "t", AccessKind.READ, 0, 0, List.of());
    NearestOrder nearest = new NearestOrder(Shortfall.TOO_EARLY, List.of(), "words");
    RunId run = new RunId(1, "timed");
    return new HazardReport(
        HazardCode.RACE_RAW, run, 0, null, null, 0, 0, null, access, "m", nearest, "r", "l");
  }

  private static List<Object> samples(SimBackend gpu) {
    ProgramSetup setup =
        new ProgramSetup(
            1, Schedule.timed(), true, CheckerOptions.DEFAULT, List.of(DeviceProfile.H200));
    Step step = Step.of(1, 0, StepKind.ADVANCE).valued(1);
    Program program = new Program(setup, List.of(ProgramThread.named("main")), List.of(step), true);
    ProgramRun run = ProgramRunner.run(program);
    HazardReport report = report();
    ReportSignature signature = ReportSignature.of(report);
    return List.of(
        gpu,
        setup,
        step,
        StepFailure.NONE,
        StepFault.NONE,
        program,
        new ByteRange(0, 0, 0),
        new ProgramShrinker(),
        run,
        signature,
        new ShrunkProgram(program, signature, "report", 1, 1, true),
        report,
        new Leak(LeakKind.EVENT, 0, 1, "", 0, List.of(), false),
        CheckerOptions.DEFAULT,
        Schedule.timed(),
        "text",
        Path.of("none"),
        List.of(),
        new IllegalStateException("sample"),
        (UnaryOperator<Object>) any -> any,
        (IntUnaryOperator) any -> any);
  }

  @Test
  @DisplayName("in every public constructor and method")
  void everywhere() throws Exception {
    List<Class<?>> types = NullArguments.publicTypes(Program.class, Set.of(""));
    // It hears of calls; users have programs.
    types.remove(ProgramRecorder.class);
    assertTrue(types.size() > 12, () -> "found only " + types);
    try (SimBackend gpu = SimBackend.builder().build()) {
      NullArguments nulls = new NullArguments(samples(gpu));
      assertEquals("", nulls.wrong(types));
      assertTrue(nulls.tried() > 30, () -> "tried only " + nulls.tried());
    }
  }
}
