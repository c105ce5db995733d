package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.UnwrittenReadPolicy;

/**
 * Checks reads of unwritten bytes. Allocated memory holds nothing until it is written. A copy
 * between devices passes on what its source lacks; a kernel or a copy to the host must find the
 * bytes written. Follows the order of submission: an unordered write is a race, which another rule
 * reports.
 */
final class UnwrittenReads {
  private static final int LISTED = 4;

  private static final String PAGE_LOCKED = "page-locked buffer";

  /**
   * Unwritten bytes, the block that they were allocated with, and the distance that copies moved
   * them.
   */
  record Gap(long start, long end, OwnedBlock origin, long moved) {
    Gap part(long from, long to) {
      return new Gap(Math.max(start, from), Math.min(end, to), origin, moved);
    }

    private Gap carried(long distance) {
      return new Gap(start + distance, end + distance, origin, moved + distance);
    }

    private boolean continues(Gap before) {
      return before.end == start && before.origin.equals(origin) && before.moved == moved;
    }
  }

  private final UnwrittenReadPolicy policy;
  private final UnwrittenBytes bytes;
  private final Owners owners;
  private final Reports reports;

  UnwrittenReads(UnwrittenReadPolicy policy, int limit, Owners owners, Reports reports) {
    this.policy = policy;
    this.owners = owners;
    this.bytes = new UnwrittenBytes(limit);
    this.reports = reports;
  }

  int size() {
    return bytes.size();
  }

  void allocated(OwnedBlock block) {
    if (policy != UnwrittenReadPolicy.IGNORE) {
      bytes.allocate(block, block.start, block.end);
    }
  }

  void written(long start, long end) {
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
    reports
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

  /**
   * Returns whether a read needs written bytes. Bytes of the host that are copied to a device and
   * back do not.
   */
  private static boolean consumes(Operation by, Gap gap) {
    return !gap.origin().kind.equals(PAGE_LOCKED) || by.name.startsWith("kernel ");
  }

  /** Describes where unwritten bytes were copied from. */
  private static String source(Gap copied) {
    return range(copied.start() - copied.moved(), copied.end() - copied.moved())
        + " of "
        + copied.origin().kind
        + (copied.origin().id == 0 ? "" : " " + copied.origin().id)
        + ", which were never written";
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

  /** Notes that a copy moves unwritten bytes from page-locked memory. */
  void copiedUnwritten(Operation by, long target, PinnedRange source) {
    if (policy != UnwrittenReadPolicy.IGNORE) {
      OwnedBlock origin =
          OwnedBlock.atOnce(0, PAGE_LOCKED, source.device(), source.buffer(), source.size(), by);
      bytes.copyFromHost(origin, target, source.start(), source.end() - source.start());
    }
  }

  void copied(Operation by, long target, long source, long count) {
    if (policy == UnwrittenReadPolicy.REPORT_AT_COPY) {
      read(by, source, source + count);
    }
    bytes.copy(target, source, count);
  }

  /**
   * The unwritten bytes of live memory. Memory without any costs nothing, and adjacent bytes of one
   * origin form one gap.
   */
  private static final class UnwrittenBytes {
    private final TreeMap<Long, Gap> gaps = new TreeMap<>();
    private final int limit;

    /** Creates an empty set; above the limit, gaps at lower addresses are forgotten. */
    UnwrittenBytes(int limit) {
      this.limit = limit;
    }

    int size() {
      return gaps.size();
    }

    void allocate(OwnedBlock origin, long start, long end) {
      remove(start, end);
      add(new Gap(start, end, origin, 0));
    }

    void remove(long start, long end) {
      Map.Entry<Long, Gap> entry = gaps.lowerEntry(end);
      while (entry != null && entry.getValue().end > start) {
        Gap gap = entry.getValue();
        gaps.remove(gap.start);
        if (gap.end > end) {
          gaps.put(end, gap.part(end, gap.end));
        }
        if (gap.start < start) {
          gaps.put(gap.start, gap.part(gap.start, start));
        }
        entry = gaps.lowerEntry(gap.start);
      }
    }

    List<Gap> in(long start, long end) {
      if (gaps.isEmpty()) {
        return List.of();
      }
      List<Gap> found = new ArrayList<>(1);
      Map.Entry<Long, Gap> entry = gaps.floorEntry(start);
      if (entry == null || entry.getValue().end <= start) {
        entry = gaps.higherEntry(start);
      }
      while (entry != null && entry.getKey() < end) {
        found.add(entry.getValue().part(start, end));
        entry = gaps.higherEntry(entry.getKey());
      }
      return found;
    }

    /** Makes a target as unwritten as its source, byte by byte. */
    void copy(long target, long source, long bytes) {
      List<Gap> carried = in(source, source + bytes);
      remove(target, target + bytes);
      carried.forEach(gap -> add(gap.carried(target - source)));
    }

    /** Adds unwritten bytes from page-locked memory, which this set does not track. */
    void copyFromHost(OwnedBlock origin, long target, long source, long bytes) {
      remove(target, target + bytes);
      add(new Gap(target, target + bytes, origin, target - source));
    }

    /** Treats reported bytes as written, here and where they came from. */
    void settle(Gap gap) {
      remove(gap.start, gap.end);
      for (Gap source : in(gap.start - gap.moved, gap.end - gap.moved)) {
        if (source.origin.equals(gap.origin) && source.moved == 0) {
          remove(source.start, source.end);
        }
      }
    }

    private void add(Gap gap) {
      Map.Entry<Long, Gap> below = gaps.lowerEntry(gap.start);
      Map.Entry<Long, Gap> above = gaps.higherEntry(gap.start);
      Gap merged = gap;
      if (below != null && gap.continues(below.getValue())) {
        merged = new Gap(below.getKey(), gap.end, gap.origin, gap.moved);
      }
      if (above != null && above.getValue().continues(merged)) {
        gaps.remove(above.getKey());
        merged = new Gap(merged.start, above.getValue().end, gap.origin, gap.moved);
      }
      gaps.put(merged.start, merged);
      if (gaps.size() > limit) {
        // New memory is at rising addresses, so the lower gaps go first.
        while (gaps.size() > limit / 2) {
          gaps.pollFirstEntry();
        }
      }
    }
  }
}
