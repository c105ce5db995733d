package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Owner;

/**
 * Describes the owners of a report's memory, now and before, seen from its accesses: the meaning of
 * a report beside these. A race on memory that has never had another owner is not the race on
 * memory that its first owner gave back too early, though both end with the same two kernels.
 */
final class OwnerWords {
  /** The name of the host in {@link Access#stream}. */
  private static final String HOST = "host";

  private static final String VOWELS = "aeiou";

  private OwnerWords() {}

  /** Such as {@code of a block, before it a block of another stream, given back}. */
  static String of(HazardReport report) {
    List<String> words = new ArrayList<>();
    Owner memory = report.memory();
    if (memory != null) {
      words.add("of " + words(memory, report.later()));
    }
    Owner previous = report.previous();
    if (previous != null) {
      words.add("before it " + words(previous, earliest(report)));
    }
    return String.join(", ", words);
  }

  private static Access earliest(HazardReport report) {
    return Objects.requireNonNullElse(report.earlier(), report.later());
  }

  private static String words(Owner owner, Access access) {
    return (VOWELS.indexOf(owner.kind().charAt(0)) < 0 ? "a " : "an ")
        + owner.kind()
        + elsewhere(owner.allocated(), access)
        + (owner.freed() == null ? "" : ", given back");
  }

  /** Only stream order knows of streams; what the host allocates belongs to none. */
  private static String elsewhere(@Nullable Access allocated, Access access) {
    return allocated == null
            || allocated.stream().equals(access.stream())
            || allocated.stream().equals(HOST)
        ? ""
        : " of another stream";
  }
}
