package org.vramkit.sim.replay;

import java.util.Objects;

/**
 * The rest of a program that was shrunk.
 *
 * @param program the short program
 * @param signature what it was shrunk to
 * @param report the report that it gives, in words
 * @param reports how many reports it gives in all; 1 unless the one cannot be had without others.
 *     What is held in the end is not counted, unless it is what the program was shrunk to.
 * @param runs how many programs were run to find it
 * @param minimal whether nothing more can be left out; false if the runs were used up before
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
