package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.Owner;

/**
 * The parts of a report that do not depend on numbers, streams and addresses.
 *
 * @param kind the list that contains the report
 * @param code the name of a {@code HazardCode}, {@code LEAK} or {@code LEAK_BY_GC}
 * @param earlier the first access, such as {@code WRITE by kernel relu}; empty if only one is
 *     involved
 * @param later the second access; of a leak, its kind
 * @param owners the present and previous owner of the memory, relative to the streams of the
 *     accesses, such as {@code of a block, before it a block of another stream, freed}; empty
 *     without owned memory, and for a leak
 */
public record ReportSignature(
    ReportKind kind, String code, String earlier, String later, String owners) {
  /** The name of the host in {@link Access#stream}. */
  private static final String HOST = "host";

  private static final String VOWELS = "aeiou";

  /** Checks that no argument is null. */
  public ReportSignature {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(earlier, "earlier");
    Objects.requireNonNull(later, "later");
    Objects.requireNonNull(owners, "owners");
  }

  /** Returns the signature of a hazard or a warning. */
  public static ReportSignature of(HazardReport report) {
    Objects.requireNonNull(report, "report");
    return new ReportSignature(
        report.code().isWarning() ? ReportKind.WARNING : ReportKind.HAZARD,
        report.code().name(),
        words(report.earlier()),
        words(report.later()),
        ownerWords(report));
  }

  /** Returns the signature of a leak. */
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

  /**
   * Describes the present and previous owner of a report's memory, relative to its accesses, such
   * as {@code of a block, before it a block of another stream, freed}. A race on memory without a
   * previous owner differs from a race on memory that its first owner freed too early, though both
   * may end with the same two kernels.
   */
  private static String ownerWords(HazardReport report) {
    List<String> words = new ArrayList<>();
    Owner memory = report.memory();
    if (memory != null) {
      words.add("of " + words(memory, report.later()));
    }
    Owner previous = report.previous();
    if (previous != null) {
      Access earliest = Objects.requireNonNullElse(report.earlier(), report.later());
      words.add("before it " + words(previous, earliest));
    }
    return String.join(", ", words);
  }

  private static String words(Owner owner, Access access) {
    return (VOWELS.indexOf(owner.kind().charAt(0)) < 0 ? "a " : "an ")
        + owner.kind()
        + elsewhere(owner.allocated(), access)
        + (owner.freed() == null ? "" : ", freed");
  }

  /**
   * Returns a suffix if another stream allocated the memory; the host's allocations have no stream.
   */
  private static String elsewhere(@Nullable Access allocated, Access access) {
    return allocated == null
            || allocated.stream().equals(access.stream())
            || allocated.stream().equals(HOST)
        ? ""
        : " of another stream";
  }
}
