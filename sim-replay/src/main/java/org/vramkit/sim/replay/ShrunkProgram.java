package org.vramkit.sim.replay;

import java.util.Objects;

/**
 * The result of shrinking a program.
 *
 * @param program the short program
 * @param signature the report that it was shrunk to
 * @param report the report that it gives, in words
 * @param reports number of its reports; 1 unless the wanted one needs others. Leaks count only if
 *     the program was shrunk to one.
 * @param runs number of runs that it took
 * @param minimal whether nothing more can be removed; false if the runs were used up before
 */
public record ShrunkProgram(
    Program program,
    ReportSignature signature,
    String report,
    int reports,
    int runs,
    boolean minimal) {
  /** Refuses what is missing. */
  public ShrunkProgram {
    Objects.requireNonNull(program, "program");
    Objects.requireNonNull(signature, "signature");
    Objects.requireNonNull(report, "report");
  }
}
