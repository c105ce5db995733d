package org.vramkit.sim.check;

import java.util.List;
import java.util.stream.Collectors;
import org.vramkit.sim.check.UnwrittenBytes.Gap;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.UnwrittenReadPolicy;

/**
 * The rule of unwritten bytes: memory that was handed out holds nothing until it is written. A copy
 * within devices hands on what its source lacks; what consumes bytes, a kernel or a copy to the
 * host, must find them written. Follows the order of submission: a write that is not ordered before
 * the read is a race, which another rule reports.
 */
final class UnwrittenReads {
  private static final int LISTED = 4;

  private static final String PAGE_LOCKED = "page-locked buffer";

  private final UnwrittenReadPolicy policy;
  private final UnwrittenBytes bytes;
  private final Owners owners;
  private final Reporter reporter;

  UnwrittenReads(UnwrittenReadPolicy policy, int limit, Owners owners, Reporter reporter) {
    this.policy = policy;
    this.owners = owners;
    this.bytes = new UnwrittenBytes(limit);
    this.reporter = reporter;
  }

  int size() {
    return bytes.size();
  }

  void handedOut(OwnedBlock block) {
    if (policy != UnwrittenReadPolicy.IGNORE) {
      bytes.handOut(block, block.start, block.end);
    }
  }

  void settled(long start, long end) {
    bytes.remove(start, end);
  }

  void read(Operation by, long start, long end) {
    List<Gap> gaps = bytes.in(start, end);
    if (!gaps.isEmpty()) {
      gaps = gaps.stream().filter(gap -> consumes(by, gap)).toList();
    }
    if (gaps.isEmpty()) {
      return;
    }
    Gap first = gaps.get(0);
    OwnedBlock origin = first.origin();
    OwnedBlock here = first.moved() == 0 ? null : owners.liveContaining(first.start());
    reporter
        .find(HazardCode.UNINIT_READ)
        .in(here == null ? origin : here)
        .later(by, AccessKind.READ, start, end)
        .at(first.start(), first.end())
        .missing(
            "a write of "
                + ranges(gaps)
                + (first.moved() == 0 ? "" : ", copied there from " + source(first))
                + (origin.previous() == null
                    ? ""
                    : "; the memory is recycled and holds bytes of its previous owner"))
        .report("write or fill the bytes after the allocation and before the read");
    gaps.forEach(bytes::settle);
  }

  /** Bytes that go from the host to a device and back again are nobody's matter. */
  private static boolean consumes(Operation by, Gap gap) {
    return !gap.origin().kind.equals(PAGE_LOCKED) || by.name.startsWith("kernel ");
  }

  /** Where bytes lay that were copied before anybody wrote them. */
  private static String source(Gap copied) {
    return range(copied.start() - copied.moved(), copied.end() - copied.moved())
        + " of "
        + copied.origin().kind
        + (copied.origin().id == 0 ? "" : " " + copied.origin().id)
        + ", which nobody wrote";
  }

  private static String ranges(List<Gap> gaps) {
    String listed =
        gaps.stream()
            .limit(LISTED)
            .map(gap -> range(gap.start(), gap.end()))
            .collect(Collectors.joining(", "));
    return gaps.size() <= LISTED ? listed : listed + " and " + (gaps.size() - LISTED) + " more";
  }

  private static String range(long start, long end) {
    return "[0x%x, +%s)".formatted(start, end - start);
  }

  /** A copy brings bytes that nobody wrote from page-locked memory. */
  void brought(Operation by, long target, PinnedRange source) {
    if (policy != UnwrittenReadPolicy.IGNORE) {
      OwnedBlock origin =
          OwnedBlock.atOnce(0, PAGE_LOCKED, source.device(), source.buffer(), source.size(), by);
      bytes.bring(origin, target, source.start(), source.end() - source.start());
    }
  }

  void copied(Operation by, long target, long source, long count) {
    if (policy == UnwrittenReadPolicy.REPORT_AT_COPY) {
      read(by, source, source + count);
    }
    bytes.copy(target, source, count);
  }
}
