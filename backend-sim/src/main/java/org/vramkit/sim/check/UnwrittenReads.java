package org.vramkit.sim.check;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.UnwrittenReadPolicy;
import org.vramkit.sim.memory.AddressSpace;
import org.vramkit.sim.memory.RangeMap;
import org.vramkit.sim.memory.RangeMap.Range;

/**
 * Checks reads of unwritten bytes. Allocated memory is unwritten until work writes it. A copy
 * between devices makes its target as unwritten as its source; a kernel or a copy to the host must
 * find the bytes written. The order of submission decides: a write that is not ordered before the
 * read is a race, which another rule reports.
 */
final class UnwrittenReads {
  private static final int LISTED = 4;

  private static final String PAGE_LOCKED = "page-locked buffer";

  /**
   * The block that unwritten bytes were allocated with, and the distance that copies moved them.
   */
  private record Origin(OwnedBlock block, long distance) {
    // The generated methods are linked at their first call, which slows down the start.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Origin origin && block == origin.block && distance == origin.distance;
    }

    @Override
    public int hashCode() {
      return 31 * block.hashCode() + Long.hashCode(distance);
    }

    Origin moved(long further) {
      return new Origin(block, distance + further);
    }
  }

  private final UnwrittenReadPolicy policy;
  private final UnwrittenBytes bytes = new UnwrittenBytes();
  private final Owners owners;
  private final Reports reports;

  UnwrittenReads(UnwrittenReadPolicy policy, Owners owners, Reports reports) {
    this.policy = policy;
    this.owners = owners;
    this.reports = reports;
  }

  int size() {
    return bytes.gaps.size();
  }

  /** Adds new memory; does nothing for memory of the host, whose views may write it unseen. */
  void allocated(OwnedBlock block) {
    if (policy != UnwrittenReadPolicy.IGNORE && !AddressSpace.isOfHost(block.start)) {
      bytes.add(block.start, block.end, new Origin(block, 0));
    }
  }

  void written(long start, long end) {
    bytes.gaps.remove(start, end);
  }

  void read(Operation by, long start, long end) {
    List<Range<Origin>> gaps = bytes.gaps.in(start, end);
    if (!gaps.isEmpty()) {
      gaps = gaps.stream().filter(gap -> consumes(by, gap)).toList();
    }
    if (gaps.isEmpty()) {
      return;
    }
    Range<Origin> first = gaps.get(0);
    OwnedBlock origin = first.value().block;
    OwnedBlock here = first.value().distance == 0 ? null : owners.liveContaining(first.start());
    reports
        .find(HazardCode.UNINIT_READ)
        .in(here == null ? origin : here)
        .later(by, AccessKind.READ, start, end)
        .at(first.start(), first.end())
        .missing(
            "a write of "
                + ranges(gaps)
                + (first.value().distance == 0 ? "" : ", copied there from " + source(first))
                + (origin.previous() == null
                    ? ""
                    : "; the memory is recycled and holds bytes of its previous owner"))
        .report(
            origin.kind.equals(PAGE_LOCKED)
                ? "fill the page-locked buffer before the copy reads it"
                : "write or fill the bytes after the allocation and before the read");
    gaps.forEach(bytes::settle);
  }

  /**
   * Returns whether a read needs written bytes. A copy of bytes that come from unwritten
   * page-locked memory does not.
   */
  private static boolean consumes(Operation by, Range<Origin> gap) {
    return !gap.value().block.kind.equals(PAGE_LOCKED) || by.name.startsWith("kernel ");
  }

  /** Describes where unwritten bytes were copied from. */
  private static String source(Range<Origin> copied) {
    return range(copied.start() - copied.value().distance, copied.end() - copied.value().distance)
        + " of "
        + copied.value().block.kind
        + (copied.value().block.id == 0 ? "" : " " + copied.value().block.id)
        + ", which were never written";
  }

  private static String ranges(List<Range<Origin>> gaps) {
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

  /** Notes that a copy moves unwritten bytes from page-locked memory. */
  void copiedUnwritten(Operation by, long target, PinnedRange source) {
    if (policy != UnwrittenReadPolicy.IGNORE) {
      OwnedBlock origin =
          OwnedBlock.atOnce(0, PAGE_LOCKED, source.device(), source.buffer(), source.size(), by);
      long count = source.end() - source.start();
      bytes.add(target, target + count, new Origin(origin, target - source.start()));
    }
  }

  void copied(Operation by, long target, long source, long count) {
    if (policy == UnwrittenReadPolicy.REPORT_AT_COPY) {
      read(by, source, source + count);
    }
    moved(target, source, count);
  }

  /** Notes that bytes were moved; the target is then as unwritten as the source. */
  void moved(long target, long source, long count) {
    bytes.copy(target, source, count);
  }

  /**
   * The unwritten bytes of live memory. Written memory costs nothing, and adjacent bytes of one
   * origin form one gap. Above {@link ShadowMemory#MOST_RANGES}, gaps at lower addresses are
   * forgotten.
   */
  private static final class UnwrittenBytes {
    private final RangeMap<Origin> gaps = new RangeMap<>();

    void add(long start, long end, Origin origin) {
      gaps.put(start, end, origin);
      if (gaps.size() > ShadowMemory.MOST_RANGES) {
        // New memory is at rising addresses, so the lower gaps go first.
        while (gaps.size() > ShadowMemory.MOST_RANGES / 2) {
          gaps.removeFirst();
        }
      }
    }

    /** Makes a target as unwritten as its source, byte by byte. */
    void copy(long target, long source, long bytes) {
      List<Range<Origin>> copied = gaps.in(source, source + bytes);
      gaps.remove(target, target + bytes);
      long distance = target - source;
      copied.forEach(
          gap -> add(gap.start() + distance, gap.end() + distance, gap.value().moved(distance)));
    }

    /** Treats reported bytes as written, here and where they came from. */
    void settle(Range<Origin> gap) {
      gaps.remove(gap.start(), gap.end());
      Origin origin = gap.value();
      Origin unmoved = new Origin(origin.block, 0);
      for (Range<Origin> source :
          gaps.in(gap.start() - origin.distance, gap.end() - origin.distance)) {
        if (source.value().equals(unmoved)) {
          gaps.remove(source.start(), source.end());
        }
      }
    }
  }
}
