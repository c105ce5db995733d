package org.vramkit.sim.replay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.WorkSelector;
import org.vramkit.sim.schedule.ChoiceException;

/**
 * Runs a program on a fresh simulator.
 *
 * <p>A step whose operands were not made is skipped, so any steps can be removed from a program. A
 * positive query becomes a wait, which has the same effect on the order of work. A negative query
 * has no effect and is left out. Planned failures, delays and hangs are applied again. Bodies of
 * kernels and host functions make their recorded calls when they run. Each host thread of the
 * program has its own thread.
 */
public final class ProgramRunner {
  private final SimBackend backend;
  private final Stage stage;
  private final List<Step> done;

  /** Numbers of the nested steps that ran; those of a graph run with each launch. */
  private final Set<Integer> insideDone = new HashSet<>();

  private ProgramRunner(SimBackend backend, Program program) {
    this.backend = backend;
    this.stage = new Stage(backend, program.steps(), this::runIfPossible);
    this.done = new ArrayList<>(program.steps().size());
  }

  /**
   * Runs all steps, one after the other.
   *
   * @throws ChoiceException if the program's schedule makes a choice that the program does not
   *     offer
   */
  public static ProgramRun run(Program program) {
    Objects.requireNonNull(program, "program");
    try (SimBackend backend = open(program.setup());
        ReplayThreads threads = new ReplayThreads(program)) {
      ProgramRunner runner = new ProgramRunner(backend, program);
      for (Step step : program.steps()) {
        if (step.kind() == StepKind.END_THREAD) {
          runner.done.add(step);
          threads.end(step.thread());
        } else if (step.inside() == 0) {
          threads.run(step.thread(), () -> runner.runIfPossible(step));
        }
      }
      return new ProgramRun(
          program.with(runner.done),
          backend.getHazards(),
          backend.getWarnings(),
          backend.getLeaks(),
          program.steps().size() - runner.done.size(),
          backend.getTraceHash());
    }
  }

  /** Runs a step if its operands were made; the result of the run contains it then. */
  private void runIfPossible(Step step) {
    if (stage.has(step)) {
      Step performed = perform(step);
      if (step.inside() == 0 || insideDone.add(step.number())) {
        done.add(performed);
      }
    }
  }

  private static SimBackend open(ProgramSetup setup) {
    SimBackend.Builder builder =
        SimBackend.builder()
            .seed(setup.seed())
            .schedule(setup.schedule())
            .bytes(setup.bytes())
            .checker(setup.checker())
            // One thread makes all calls, so no other thread can end a wait.
            .patience(Duration.ZERO);
    setup.devices().forEach(builder::device);
    return builder.build();
  }

  /** Makes a call; returns the step with its failure, if any. */
  private Step perform(Step step) {
    FaultPlan plan = plan(step);
    backend.getFaults().inject(plan);
    try {
      step.kind().call(stage, step);
      return step;
    } catch (ChoiceException e) {
      // The schedule belongs to another program, so later steps mean nothing.
      throw e;
    } catch (GpuException | ClosedException e) {
      StepFailure failure = StepFailure.of(e, step.failure().planned());
      return step.failing(failure.orSame(step.failure()));
    } finally {
      if (!plan.equals(FaultPlan.NONE)) {
        // A call that is refused before it reaches the driver leaves the plan in force.
        backend.getFaults().clear();
      }
    }
  }

  private static FaultPlan plan(Step step) {
    StepFailure failure = step.failure();
    FaultPlan plan = FaultPlan.NONE;
    if (failure.planned()) {
      plan =
          plan.fail(
              (failure.isOfLostDevice() ? CallSelector.any() : CallSelector.of(failure.function()))
                  .withNth(1),
              new Fault(failure.code(), failure.status()));
    }
    if (step.fault().delayNanos() > 0) {
      plan = plan.delay(WorkSelector.any(), step.fault().delayNanos());
    }
    return step.fault().hangs() ? plan.hang(WorkSelector.any()) : plan;
  }
}
