package org.vramkit.sim.replay;

import java.util.List;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.Count;
import org.vramkit.sim.schedule.Schedule;

/**
 * Reduces a program to the few steps that one of its reports needs: by operands with all that
 * refers to them, by single steps, by making one stream, event or thread of two, by plain memory in
 * place of mapped addresses, and by smaller ranges, over and over until nothing changes. Of a
 * chosen schedule the choices are dropped first: verdicts do not depend on them. Deterministic;
 * immutable, safe for any thread.
 */
public final class ProgramShrinker {
  /** How many runs are made at most unless told otherwise. */
  public static final int DEFAULT_MAXIMUM_RUNS = 20_000;

  private final int maximumRuns;

  /** A shrinker with the default bound. */
  public ProgramShrinker() {
    this(DEFAULT_MAXIMUM_RUNS);
  }

  /**
   * A shrinker.
   *
   * @param maximumRuns how many programs may be run; at least 1. A run costs about as long as the
   *     program that is left by then.
   */
  public ProgramShrinker(int maximumRuns) {
    if (maximumRuns < 1) {
      throw new InvalidArgumentException("shrinking needs at least 1 run; got " + maximumRuns);
    }
    this.maximumRuns = maximumRuns;
  }

  /**
   * Reduces a program to what its first report needs: its first hazard, or, if it has none, its
   * first warning.
   *
   * @throws InvalidArgumentException if it gives no report
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
   * Reduces a program to what one of its reports needs.
   *
   * @param wanted the report
   * @throws InvalidArgumentException if the program does not give it
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

  /** A list of choices fits one program; what is left of it has others, or fewer, to make. */
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
