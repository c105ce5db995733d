package org.vramkit.sim;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.memory.SparseBytes;

/** The physical memory of a driver pool, by the places where it stands. */
final class PoolUnits {
  /** Physical memory at places, whose bytes are those of a growth from an offset on. */
  record Chunk(long start, long end, @Nullable SparseBytes content, long offset) {
    Chunk part(long from, long to) {
      return new Chunk(from, to, content, offset + from - start);
    }
  }

  /** Places from one to another. */
  record Places(long start, long end) {}

  private PoolUnits() {}

  /** Returns the places of a range that have no memory. */
  static List<Places> missing(NavigableMap<Long, Chunk> chunks, long start, long end) {
    List<Places> missing = new ArrayList<>(1);
    Map.Entry<Long, Chunk> before = chunks.floorEntry(start);
    long at = before == null ? start : Math.max(start, before.getValue().end);
    while (at < end) {
      Map.Entry<Long, Chunk> next = chunks.ceilingEntry(at);
      long stop = next == null ? end : Math.min(end, next.getKey());
      if (stop > at) {
        missing.add(new Places(at, stop));
      }
      at = next == null ? end : next.getValue().end;
    }
    return missing;
  }

  /** Returns the sum of the lengths of places. */
  static long bytesOf(List<Places> places) {
    return places.stream().mapToLong(each -> each.end - each.start).sum();
  }

  /** Returns the reserved units whose ranges are all settled, in the order of their places. */
  static List<Places> settled(
      NavigableMap<Long, Chunk> chunks, Collection<FreePlaces> free, long unit) {
    List<Places> settled = new ArrayList<>();
    for (FreePlaces range : free) {
      Map.Entry<Long, Chunk> first = chunks.floorEntry(range.start);
      if (range.freedOn == null) {
        long from = first == null ? range.start : first.getKey();
        for (Chunk chunk : chunks.subMap(from, range.end).values()) {
          long start = (Math.max(chunk.start, range.start) + unit - 1) & -unit;
          long end = Math.min(chunk.end, range.end) & -unit;
          if (start < end) {
            settled.add(new Places(start, end));
          }
        }
      }
    }
    return settled;
  }
}
