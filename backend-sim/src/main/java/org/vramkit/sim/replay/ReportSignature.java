package org.vramkit.sim.replay;

import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

/**
 * What makes two reports the same although numbers, streams and addresses differ.
 *
 * @param code what kind
 * @param earlier what the first access was, such as {@code WRITE by kernel relu}; empty if only one
 *     is involved
 * @param later what the second access was
 */
public record ReportSignature(HazardCode code, String earlier, String later) {

  /** The signature of a report. */
  public static ReportSignature of(HazardReport report) {
    return new ReportSignature(report.code(), words(report.earlier()), words(report.later()));
  }

  private static String words(@Nullable Access access) {
    return access == null ? "" : access.kind() + " by " + access.operation();
  }

  @Override
  public String toString() {
    return code + ": " + (earlier.isEmpty() ? "" : earlier + ", then ") + later;
  }
}
