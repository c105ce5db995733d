package org.vramkit.sim.replay;

import java.util.List;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.program.Program;

/**
 * What a program did when it ran.
 *
 * @param program the steps that ran, with the failures that they met; without those that had to be
 *     skipped because what they refer to was not there. Running it again does the same.
 * @param hazards the hazards that were found
 * @param warnings what is legal and probably wrong
 * @param skipped how many steps were skipped
 * @param traceHash the simulator's trace hash at the end
 */
public record ProgramRun(
    Program program,
    List<HazardReport> hazards,
    List<HazardReport> warnings,
    int skipped,
    long traceHash) {

  /** Copies the lists. */
  public ProgramRun {
    hazards = List.copyOf(hazards);
    warnings = List.copyOf(warnings);
  }

  /** The signatures of the hazards, in the order in which they were found. */
  public List<ReportSignature> getSignatures() {
    return hazards.stream().map(ReportSignature::of).toList();
  }
}
