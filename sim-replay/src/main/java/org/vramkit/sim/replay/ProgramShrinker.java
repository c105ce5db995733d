package org.vramkit.sim.replay;

import java.util.List;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.Count;
import org.vramkit.sim.schedule.Schedule;

/**
 * Shrinks a program to the few steps that one of its reports needs. The shrinker removes operands
 * with their uses and single steps, merges two streams, events or threads, replaces mapped
 * addresses by plain memory, and reduces ranges, until nothing changes. The choices of a chosen
 * schedule are dropped first, because reports do not depend on them. Deterministic, immutable and
 * safe for any thread.
 */
public final class ProgramShrinker {
  /** The default limit of runs. */
  public static final int DEFAULT_MAXIMUM_RUNS = 20_000;

  private final int maximumRuns;

  /** Creates a shrinker with the default limit. */
  public ProgramShrinker() {
    this(DEFAULT_MAXIMUM_RUNS);
  }

  /**
   * Creates a shrinker.
   *
   * @param maximumRuns limit of runs, at least 1. Runs get faster as the program shrinks.
   */
  public ProgramShrinker(int maximumRuns) {
    if (maximumRuns < 1) {
      throw new InvalidArgumentException("shrinking needs at least 1 run; got " + maximumRuns);
    }
    this.maximumRuns = maximumRuns;
  }

  /**
   * Shrinks a program to its first hazard or, without hazards, its first warning.
   *
   * @throws InvalidArgumentException if the program gives no report
   */
  public ShrunkProgram shrink(Program recorded) {
    Objects.requireNonNull(recorded, "recorded");
    Program program = withoutChoices(recorded);
    ProgramRun run = ProgramRunner.run(program);
    List<ReportSignature> found =
        run.hazards().isEmpty() ? run.getSignatures(ReportKind.WARNING) : run.getSignatures();
    if (found.isEmpty()) {
      throw new InvalidArgumentException(
          "a program of "
              + Count.of(program.steps().size(), "step")
              + " gives no report when it runs again: nothing can be reduced");
    }
    return shrink(program, found.get(0));
  }

  /**
   * Shrinks a program to one of its reports.
   *
   * @param wanted the report
   * @throws InvalidArgumentException if the program does not give this report
   */
  public ShrunkProgram shrink(Program recorded, ReportSignature wanted) {
    Objects.requireNonNull(recorded, "recorded");
    Objects.requireNonNull(wanted, "wanted");
    Program program = withoutChoices(recorded);
    Trial trial = new Trial(program, wanted, maximumRuns);
    if (!trial.accepts(program)) {
      throw new InvalidArgumentException(
          "the program does not give the report '"
              + wanted
              + "'; it gives "
              + ProgramRunner.run(program).getSignatures(wanted.kind()));
    }
    boolean minimal;
    Program before;
    do {
      before = trial.best();
      pass(trial);
      minimal = trial.best().equals(before);
    } while (!minimal && !trial.isOver());
    ProgramRun run = ProgramRunner.run(trial.best().withoutIdleThreads());
    return new ShrunkProgram(
        run.program(),
        wanted,
        run.getReport(wanted),
        trial.reports(run),
        trial.runs(),
        minimal && !trial.isOver());
  }

  /** Drops the choices of a schedule, which fit only the whole program. */
  private static Program withoutChoices(Program program) {
    return program.setup().schedule().policy() == Schedule.Policy.CHOSEN
        ? program.on(program.setup().withSchedule(Schedule.chosen(List.of())))
        : program;
  }

  private static void pass(Trial trial) {
    OperandReduction operands = new OperandReduction(trial);
    operands.mergeThreads();
    operands.drop();
    DeltaDebugging.minimize(trial::steps, trial::accepts);
    new PlainMemory(trial).reduce();
    operands.merge(OperandKind.STREAM);
    operands.merge(OperandKind.EVENT);
    operands.dropDevices();
    new RangeReduction(trial).reduce();
  }
}
