package org.vramkit.export;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A set of addresses, stored as sorted ranges that do not touch. Not thread-safe. */
final class AddressSet {
  /** Maps the start of each range to its end. */
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  private long bytes;

  /** An address range; the end is exclusive. */
  record Range(long from, long end) {
    long size() {
      return end - from;
    }
  }

  /** Returns the total size of the ranges. */
  long bytes() {
    return bytes;
  }

  boolean contains(long address) {
    Map.Entry<Long, Long> below = ranges.floorEntry(address);
    return below != null && address < below.getValue();
  }

  List<Range> all() {
    List<Range> all = new ArrayList<>();
    ranges.forEach((from, end) -> all.add(new Range(from, end)));
    return all;
  }

  /** Returns the parts of the range that are in the set. */
  List<Range> within(long from, long end) {
    List<Range> parts = new ArrayList<>();
    Map.Entry<Long, Long> next = from < end ? ranges.lowerEntry(end) : null;
    while (next != null && next.getValue() > from) {
      parts.add(0, new Range(Math.max(from, next.getKey()), Math.min(end, next.getValue())));
      next = ranges.lowerEntry(next.getKey());
    }
    return parts;
  }

  /** Returns the parts of the range that are not in the set. */
  List<Range> missing(long from, long end) {
    List<Range> parts = new ArrayList<>();
    long at = from;
    for (Range each : within(from, end)) {
      if (at < each.from()) {
        parts.add(new Range(at, each.from()));
      }
      at = each.end();
    }
    if (at < end) {
      parts.add(new Range(at, end));
    }
    return parts;
  }

  void add(long from, long end) {
    if (from >= end) {
      return;
    }
    remove(from, end);
    bytes += end - from;
    long start = from;
    long stop = end;
    Map.Entry<Long, Long> below = ranges.lowerEntry(from);
    if (below != null && below.getValue() == from) {
      start = below.getKey();
    }
    Long above = ranges.remove(end);
    if (above != null) {
      stop = above;
    }
    ranges.put(start, stop);
  }

  void remove(long from, long end) {
    for (Range part : within(from, end)) {
      Map.Entry<Long, Long> whole = ranges.floorEntry(part.from());
      long start = whole.getKey();
      long stop = whole.getValue();
      ranges.remove(start);
      if (start < part.from()) {
        ranges.put(start, part.from());
      }
      if (part.end() < stop) {
        ranges.put(part.end(), stop);
      }
      bytes -= part.size();
    }
  }
}
