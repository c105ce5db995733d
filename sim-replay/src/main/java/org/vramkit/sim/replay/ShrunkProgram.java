package org.vramkit.sim.replay;

import java.util.Objects;

/**
 * The result of shrinking a program.
 *
 * @param program the short program
 * @param signature the report that the program must still give
 * @param report the text of that report
 * @param reports number of reports that the program gives; 1 unless the wanted report needs others.
 *     Leaks count only if the wanted report is a leak.
 * @param runs number of runs that shrinking took
 * @param minimal whether nothing more can be removed; false if the limit of runs was reached before
 */
public record ShrunkProgram(
    Program program,
    ReportSignature signature,
    String report,
    int reports,
    int runs,
    boolean minimal) {
  /** Checks that no argument is null. */
  public ShrunkProgram {
    Objects.requireNonNull(program, "program");
    Objects.requireNonNull(signature, "signature");
    Objects.requireNonNull(report, "report");
  }
}
