package org.vramkit.tools.usage;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.trace.Mark;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceDetails;

/**
 * Reserved memory that no block used at the requested peak.
 *
 * @param unusedBytes reserved minus requested bytes; null if reserved memory is not known
 * @param ranges number of unused ranges of {@link #SMALLEST} bytes or more; null if the recording
 *     does not tell where all segments are
 * @param largestBytes the largest unused range; null as {@code ranges}
 */
public record Fragments(
    @Nullable Long unusedBytes, @Nullable Integer ranges, @Nullable Long largestBytes) {
  /** The smallest range that counts, in bytes: smaller ones are the rounding of sizes. */
  public static final long SMALLEST = 512;

  private static final Fragments UNKNOWN = new Fragments(null, null, null);

  /** Returns the fragments at the requested peak of a trace with details. */
  public static Fragments of(Trace trace) {
    if (Peaks.of(trace).reservedBytes() == null) {
      return UNKNOWN;
    }
    TraceDetails details = Grouping.details(trace);
    GroupedTrace whole = new GroupedTrace(trace, new int[trace.getAllocationCount()], 1);
    int peak = whole.findPeak();
    int recorded = Math.max(0, peak - trace.getHeldBefore());
    long unused = reservedAt(details, recorded) - whole.at(peak).total();
    if (unused < 0) {
      return UNKNOWN;
    }
    if (!details.hasAllMarks() || details.getReservedBefore() > 0) {
      return new Fragments(unused, null, null);
    }
    return unusedRanges(segments(details, recorded), trace, peak, unused);
  }

  private static long reservedAt(TraceDetails details, int event) {
    int[] events = details.getReserved().getEvents();
    long[] bytes = details.getReserved().getBytes();
    long reserved = 0;
    for (int i = 0; i < events.length && events[i] <= event; i++) {
      reserved = bytes[i];
    }
    return reserved;
  }

  /** Returns the end of each mapped range by its begin; neighbours are joined. */
  private static TreeMap<Long, Long> segments(TraceDetails details, int event) {
    TreeMap<Long, Long> ranges = new TreeMap<>(Long::compareUnsigned);
    for (Mark mark : details.getMarks()) {
      if (mark.event() > event) {
        break;
      }
      switch (mark.kind()) {
        case GROW, MOVE -> add(ranges, mark.address(), mark.address() + mark.size());
        case SHRINK -> remove(ranges, mark.address(), mark.address() + mark.size());
        case TRIM, OUT_OF_MEMORY, WAIT -> {}
      }
    }
    return ranges;
  }

  private static void add(TreeMap<Long, Long> ranges, long from, long to) {
    remove(ranges, from, to);
    Map.Entry<Long, Long> below = ranges.lowerEntry(from);
    boolean joins = below != null && below.getValue() == from;
    long begin = below != null && joins ? below.getKey() : from;
    Long end = ranges.remove(to);
    ranges.put(begin, end == null ? to : end);
  }

  private static void remove(TreeMap<Long, Long> ranges, long from, long to) {
    Map.Entry<Long, Long> below = ranges.lowerEntry(from);
    if (below != null && Long.compareUnsigned(below.getValue(), from) > 0) {
      ranges.put(below.getKey(), from);
      if (Long.compareUnsigned(below.getValue(), to) > 0) {
        ranges.put(to, below.getValue());
      }
    }
    Map.Entry<Long, Long> next = ranges.ceilingEntry(from);
    while (next != null && Long.compareUnsigned(next.getKey(), to) < 0) {
      ranges.remove(next.getKey());
      if (Long.compareUnsigned(next.getValue(), to) > 0) {
        ranges.put(to, next.getValue());
      }
      next = ranges.ceilingEntry(from);
    }
  }

  private static Fragments unusedRanges(
      TreeMap<Long, Long> segments, Trace trace, int event, long unused) {
    TraceDetails details = Grouping.details(trace);
    TreeMap<Long, Long> free = new TreeMap<>(segments);
    boolean[] live = new boolean[trace.getAllocationCount()];
    for (int i = 0; i <= event; i++) {
      live[trace.getAllocation(i)] = trace.isAllocation(i);
    }
    for (int i = 0; i < live.length; i++) {
      if (live[i] && trace.getSize(i) > 0) {
        long address = details.getAddress(i);
        remove(free, address, address + trace.getSize(i));
      }
    }
    long[] lengths =
        free.entrySet().stream()
            .mapToLong(each -> each.getValue() - each.getKey())
            .filter(each -> each >= SMALLEST)
            .toArray();
    return new Fragments(unused, lengths.length, Arrays.stream(lengths).max().orElse(0));
  }
}
