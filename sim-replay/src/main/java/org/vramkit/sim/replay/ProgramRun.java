package org.vramkit.sim.replay;

import java.util.List;
import java.util.Objects;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;

/**
 * The outcome of running a program.
 *
 * @param program the steps that ran, with their failures but without skipped steps. Running it
 *     again gives the same result.
 * @param hazards the hazards found
 * @param warnings the warnings found
 * @param leaks everything that was open at the end, in the order of creation
 * @param skipped number of steps that were skipped because an operand was missing
 * @param traceHash the simulator's trace hash at the end
 */
public record ProgramRun(
    Program program,
    List<HazardReport> hazards,
    List<HazardReport> warnings,
    List<Leak> leaks,
    int skipped,
    long traceHash) {

  /** Copies the lists. */
  public ProgramRun {
    Objects.requireNonNull(leaks, "leaks");
    Objects.requireNonNull(program, "program");
    Objects.requireNonNull(hazards, "hazards");
    Objects.requireNonNull(warnings, "warnings");
    hazards = List.copyOf(hazards);
    warnings = List.copyOf(warnings);
    leaks = List.copyOf(leaks);
  }

  /** Returns the signatures of the hazards, in the order of the list. */
  public List<ReportSignature> getSignatures() {
    return getSignatures(ReportKind.HAZARD);
  }

  /** Returns the signatures of one kind of reports, in the order of the list. */
  public List<ReportSignature> getSignatures(ReportKind kind) {
    Objects.requireNonNull(kind, "kind");
    return switch (kind) {
      case HAZARD -> hazards.stream().map(ReportSignature::of).toList();
      case WARNING -> warnings.stream().map(ReportSignature::of).toList();
      case LEAK -> leaks.stream().map(ReportSignature::of).toList();
    };
  }

  /** Returns the first report with a signature, in words. */
  String getReport(ReportSignature wanted) {
    int index = getSignatures(wanted.kind()).indexOf(wanted);
    return switch (wanted.kind()) {
      case HAZARD -> hazards.get(index).toString();
      case WARNING -> warnings.get(index).toString();
      case LEAK -> leaks.get(index).toString();
    };
  }
}
