package org.vramkit.sim.hazard;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Renders a report for people, on one screen. The stacks of the two accesses are the longest; those
 * of allocations and frees are shorter, so that the text has at most 40 lines.
 */
final class HazardText {
  private static final int ACCESS_FRAMES = 6;
  private static final int OWNER_FRAMES = 3;

  /** Number of other owners that are named. */
  private static final int OTHERS = 9;

  private final HazardReport report;
  private final StringBuilder text = new StringBuilder(1024);

  HazardText(HazardReport report) {
    this.report = report;
  }

  String write() {
    text.append(report.code()).append(": ").append(report.code().getMeaning());
    text.append(System.lineSeparator());
    String device = report.device() < 0 ? "" : ", device " + report.device();
    line("run", report.run() + ", operation " + report.later().index() + device);
    owner("memory", report.memory(), true);
    owner("previous", report.previous(), false);
    others();
    if (report.bytes() > 0) {
      line("bytes", range());
    }
    access("earlier", report.earlier(), ACCESS_FRAMES);
    access("later", report.later(), ACCESS_FRAMES);
    line("missing", report.missing());
    NearestOrder nearest = report.nearest();
    if (nearest != null) {
      line("nearest", nearest.words());
    }
    line("remedy", report.remedy());
    line("see", report.link());
    return text.toString();
  }

  private String range() {
    String range = "[0x%x, +%s)".formatted(report.address(), report.bytes());
    return report.memory() == null ? range : range + ", offset " + report.getOffset();
  }

  private void owner(String name, @Nullable Owner owner, boolean lives) {
    if (owner == null) {
      if (lives && report.bytes() > 0) {
        line(name, "no owner");
      }
      return;
    }
    line(name, owner.toString());
    life(owner.allocated());
    life(owner.freed());
  }

  private void others() {
    if (!report.others().isEmpty()) {
      String listed =
          report.others().stream()
              .limit(OTHERS)
              .map(Owner::toString)
              .collect(Collectors.joining("; "));
      int more = report.others().size() - OTHERS;
      line("also", more > 0 ? listed + "; and " + more + " more" : listed);
    }
    if (report.times() > 1) {
      line("times", report.times() + ", of which this is the first");
    }
  }

  /**
   * Adds the allocation or free of an owner, unless it is one of the two accesses, which are added
   * later.
   */
  private void life(@Nullable Access access) {
    Access earlier = report.earlier();
    if (access != null
        && access.index() != report.later().index()
        && (earlier == null || access.index() != earlier.index())) {
      access("", access, OWNER_FRAMES);
    }
  }

  private void access(String name, @Nullable Access access, int frames) {
    if (access != null) {
      line(name, access.toString());
      if (!access.code().isEmpty()) {
        line("", "  at " + access.code());
      }
      Frames.ofUser(access.stack(), frames).forEach(frame -> line("", "  at " + frame));
    }
  }

  private void line(String name, String value) {
    text.append("  %-8s %s%n".formatted(name, value));
  }
}
