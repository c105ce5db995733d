package org.vramkit.sim.replay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.program.Program;
import org.vramkit.sim.program.ProgramDevice;
import org.vramkit.sim.program.ProgramSetup;
import org.vramkit.sim.program.Step;
import org.vramkit.sim.program.StepFailure;
import org.vramkit.sim.schedule.ChoiceException;

/**
 * Runs a program on a fresh simulator.
 *
 * <p>A step whose operands were not made is skipped, so that any part of a program is a program. A
 * question that was answered with yes becomes a wait, because whoever was told yes knew as much as
 * after a wait; one answered with no taught nobody anything and is left out. A call that the driver
 * refused is refused again, by the same status. Each host thread of the program has one here.
 */
public final class ProgramRunner {
  private ProgramRunner() {}

  /**
   * Runs all steps, one after the other.
   *
   * @throws ChoiceException if the program's schedule makes a choice that the program does not
   *     offer
   */
  public static ProgramRun run(Program program) {
    try (SimBackend backend = open(program.setup());
        HostThreads threads = new HostThreads(program)) {
      Stage stage = new Stage(backend);
      List<Step> done = new ArrayList<>(program.steps().size());
      for (Step step : program.steps()) {
        if (stage.has(step)) {
          done.add(threads.call(step.thread(), () -> perform(step, stage)));
        }
      }
      return new ProgramRun(
          program.with(done),
          backend.getHazards(),
          backend.getWarnings(),
          program.steps().size() - done.size(),
          backend.getTraceHash());
    }
  }

  private static SimBackend open(ProgramSetup setup) {
    SimBackend.Builder builder =
        SimBackend.builder()
            .seed(setup.seed())
            .schedule(setup.schedule())
            .bytes(setup.bytes())
            .checker(setup.checker())
            // One thread makes all calls: nobody else can end what a wait waits for.
            .patience(Duration.ZERO);
    for (ProgramDevice device : setup.devices()) {
      builder.device(new DeviceProfile(device.properties(), device.capabilities()));
    }
    return builder.build();
  }

  /** Makes a call; the step with the failure that it met, if any. */
  private static Step perform(Step step, Stage stage) {
    StepFailure planned = step.failure();
    if (planned.isFromDriver()) {
      stage
          .backend()
          .getFaults()
          .failNext(planned.function(), new Fault(planned.code(), planned.status()));
    }
    try {
      call(step, stage);
      return step;
    } catch (ChoiceException e) {
      // The schedule is of another program: no step is to blame, and no later one means anything.
      throw e;
    } catch (GpuException | ClosedException e) {
      return step.failing(StepFailure.of(e));
    } finally {
      if (planned.isFromDriver()) {
        // A call that is refused before it comes to the driver leaves the plan behind.
        stage.backend().getFaults().clear();
      }
    }
  }

  private static void call(Step step, Stage stage) {
    boolean known =
        OrderSteps.perform(step, stage)
            || WorkSteps.perform(step, stage)
            || MemorySteps.perform(step, stage)
            || PoolSteps.perform(step, stage)
            || VirtualMemorySteps.perform(step, stage);
    if (!known) {
      throw new IllegalStateException("nobody performs steps of the kind " + step.kind());
    }
  }
}
