package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The bytes of live memory that nobody has written since they were handed out. Only these are kept:
 * memory that was written wholly costs nothing, and neighbours of one origin are one gap.
 */
final class UnwrittenBytes {
  /** Unwritten bytes, what they were handed out with, and how far copies have carried them. */
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

  private final TreeMap<Long, Gap> gaps = new TreeMap<>();
  private final int limit;

  /** Keeps so many gaps; beyond that, those of the lower addresses are forgotten. */
  UnwrittenBytes(int limit) {
    this.limit = limit;
  }

  int size() {
    return gaps.size();
  }

  void handOut(OwnedBlock origin, long start, long end) {
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

  /** A copy leaves its target as unwritten as its source is, byte by byte. */
  void copy(long target, long source, long bytes) {
    List<Gap> carried = in(source, source + bytes);
    remove(target, target + bytes);
    carried.forEach(gap -> add(gap.carried(target - source)));
  }

  /** A copy brings bytes from memory that is not watched here. */
  void bring(OwnedBlock origin, long target, long source, long bytes) {
    remove(target, target + bytes);
    add(new Gap(target, target + bytes, origin, target - source));
  }

  /** These bytes were reported: from now on they count as written, here and where they are from. */
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
      // Not the upper ones: new memory comes at rising addresses.
      while (gaps.size() > limit / 2) {
        gaps.pollFirstEntry();
      }
    }
  }
}
