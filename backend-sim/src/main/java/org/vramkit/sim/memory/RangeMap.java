package org.vramkit.sim.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Maps disjoint ranges of addresses to values. Adding or removing a range cuts the ranges that
 * overlap it; adjacent ranges of equal values are merged. Not thread-safe.
 */
public final class RangeMap<V> {
  /** A range with its value; the end is exclusive. */
  public record Range<V>(long start, long end, V value) {}

  private final TreeMap<Long, Range<V>> ranges = new TreeMap<>();

  public int size() {
    return ranges.size();
  }

  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  /** Returns the range that contains an address; null if there is none. */
  public @Nullable Range<V> containing(long address) {
    return last(ranges.floorEntry(address), address);
  }

  /** Returns the last range that overlaps another one; null if there is none. */
  public @Nullable Range<V> lastIn(long start, long end) {
    return last(ranges.lowerEntry(end), start);
  }

  private static <V> @Nullable Range<V> last(Map.@Nullable Entry<Long, Range<V>> entry, long from) {
    return entry != null && entry.getValue().end > from ? entry.getValue() : null;
  }

  /** Returns the parts of all ranges that lie in another one, in ascending order. */
  public List<Range<V>> in(long start, long end) {
    if (ranges.isEmpty()) {
      return List.of();
    }
    List<Range<V>> found = new ArrayList<>(1);
    Map.Entry<Long, Range<V>> entry = ranges.floorEntry(start);
    if (last(entry, start) == null) {
      entry = ranges.higherEntry(start);
    }
    while (entry != null && entry.getKey() < end) {
      Range<V> range = entry.getValue();
      found.add(new Range<>(Math.max(start, range.start), Math.min(end, range.end), range.value));
      entry = range.end < end ? ranges.higherEntry(entry.getKey()) : null;
    }
    return found;
  }

  public void put(long start, long end, V value) {
    long from = start;
    long to = end;
    Map.Entry<Long, Range<V>> below = ranges.lowerEntry(end);
    if (last(below, start) != null) {
      remove(start, end);
      below = ranges.lowerEntry(start);
    }
    if (below != null && below.getValue().end == start && below.getValue().value.equals(value)) {
      from = below.getKey();
    }
    Range<V> above = ranges.get(end);
    if (above != null && above.value.equals(value)) {
      ranges.remove(end);
      to = above.end;
    }
    ranges.put(from, new Range<>(from, to, value));
  }

  public void remove(long start, long end) {
    Range<V> range = lastIn(start, end);
    while (range != null) {
      ranges.remove(range.start);
      if (range.end > end) {
        ranges.put(end, new Range<>(end, range.end, range.value));
      }
      if (range.start < start) {
        ranges.put(range.start, new Range<>(range.start, start, range.value));
      }
      range = range.start > start ? lastIn(start, range.start) : null;
    }
  }

  /** Removes the range at the lowest addresses. */
  public void removeFirst() {
    ranges.pollFirstEntry();
  }
}
