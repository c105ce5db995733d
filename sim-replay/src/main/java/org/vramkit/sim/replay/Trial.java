package org.vramkit.sim.replay;

import java.util.List;

/**
 * Keeps the shortest program so far that gives the report, and tries shorter ones. A candidate is
 * accepted if it gives the report and has no more reports than the best program, so the total
 * number of reports never grows.
 */
final class Trial {
  private final ReportSignature wanted;
  private final int maximumRuns;
  private Program best;
  private int reports = Integer.MAX_VALUE;
  private int runs;

  Trial(Program program, ReportSignature wanted, int maximumRuns) {
    this.best = program;
    this.wanted = wanted;
    this.maximumRuns = maximumRuns;
  }

  Program best() {
    return best;
  }

  List<Step> steps() {
    return best.steps();
  }

  int runs() {
    return runs;
  }

  /** Returns whether the limit of runs is reached. */
  boolean isOver() {
    return runs >= maximumRuns;
  }

  /**
   * Returns the number of hazards of a run, plus the reports of the wanted kind if that is not a
   * hazard.
   */
  int reports(ProgramRun run) {
    int others = wanted.kind() == ReportKind.HAZARD ? 0 : run.getSignatures(wanted.kind()).size();
    return run.hazards().size() + others;
  }

  /** Tries other steps with the same setup. */
  boolean accepts(List<Step> steps) {
    return !steps.equals(best.steps()) && accepts(best.with(steps));
  }

  /** Tries a program, and keeps it if it gives the report. */
  boolean accepts(Program candidate) {
    if (isOver()) {
      return false;
    }
    runs++;
    ProgramRun run = ProgramRunner.run(candidate);
    int found = reports(run);
    if (!run.getSignatures(wanted.kind()).contains(wanted) || found > reports) {
      return false;
    }
    best = run.program();
    reports = found;
    return true;
  }
}
