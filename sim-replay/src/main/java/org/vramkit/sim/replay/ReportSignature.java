package org.vramkit.sim.replay;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;

/**
 * The parts of a report that stay when numbers, streams and addresses differ.
 *
 * @param kind in which list they stand
 * @param code what they report: the name of a {@code HazardCode}, {@code LEAK} or {@code
 *     LEAK_BY_GC}
 * @param earlier what the first access was, such as {@code WRITE by kernel relu}; empty if only one
 *     is involved
 * @param later what the second access was; of a leak, what is held
 * @param owners whose the memory is and was, and whether that is of the accesses' streams, such as
 *     {@code of a block, before it a block of another stream, given back}; empty if no owned memory
 *     is concerned, and of a leak
 */
public record ReportSignature(
    ReportKind kind, String code, String earlier, String later, String owners) {
  /** Refuses what is missing. */
  public ReportSignature {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(earlier, "earlier");
    Objects.requireNonNull(later, "later");
    Objects.requireNonNull(owners, "owners");
  }

  /** The signature of a hazard or a warning. */
  public static ReportSignature of(HazardReport report) {
    Objects.requireNonNull(report, "report");
    return new ReportSignature(
        report.code().isWarning() ? ReportKind.WARNING : ReportKind.HAZARD,
        report.code().name(),
        words(report.earlier()),
        words(report.later()),
        OwnerWords.of(report));
  }

  /** The signature of a leak. */
  public static ReportSignature of(Leak leak) {
    Objects.requireNonNull(leak, "leak");
    return new ReportSignature(
        ReportKind.LEAK, leak.collected() ? "LEAK_BY_GC" : "LEAK", "", leak.kind().getWords(), "");
  }

  private static String words(@Nullable Access access) {
    return access == null ? "" : access.kind() + " by " + access.operation();
  }

  @Override
  public String toString() {
    return code
        + ": "
        + (earlier.isEmpty() ? "" : earlier + ", then ")
        + later
        + (owners.isEmpty() ? "" : ", " + owners);
  }
}
