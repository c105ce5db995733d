package org.vramkit.sim.memory;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Packs blocks into units of one size, as the driver does: each block into the smallest hole that
 * fits, of those of one size the oldest, a new unit if none fits, and a unit goes with its last
 * block. Places count from the first unit on and are no addresses. Not thread-safe.
 */
final class Packing {
  /** A free range inside a unit; {@code age} counts the holes. The smallest and oldest is first. */
  private record Hole(long start, long end, long age) implements Comparable<Hole> {
    long size() {
      return end - start;
    }

    @Override
    public int compareTo(Hole other) {
      return size() == other.size()
          ? Long.compare(age, other.age)
          : Long.compare(size(), other.size());
    }
  }

  private final long unit;

  /** Holes by their starts. */
  private final TreeMap<Long, Hole> holes = new TreeMap<>();

  private final TreeSet<Hole> bySize = new TreeSet<>();

  /** The used bytes of units by their first places. */
  private final TreeMap<Long, Long> units = new TreeMap<>();

  private long ages;

  /** Creates a packing without units; their size is a power of two. */
  Packing(long unit) {
    this.unit = unit;
  }

  /** Returns a place for a block of at most a unit; -1 if no unit has room. */
  long place(long bytes) {
    Hole hole = bySize.ceiling(new Hole(0, bytes, 0));
    if (hole == null) {
      return -1;
    }
    remove(hole);
    if (hole.size() > bytes) {
      add(hole.start + bytes, hole.end);
    }
    long first = unitOf(hole.start);
    units.put(first, units.getOrDefault(first, 0L) + bytes);
    return hole.start;
  }

  /** Adds a unit. */
  void addUnit() {
    long start = 0;
    for (long taken : units.keySet()) {
      if (taken != start) {
        break;
      }
      start += unit;
    }
    units.put(start, 0L);
    add(start, start + unit);
  }

  private void add(long start, long end) {
    Hole hole = new Hole(start, end, ++ages);
    holes.put(start, hole);
    bySize.add(hole);
  }

  private void remove(Hole hole) {
    holes.remove(hole.start);
    bySize.remove(hole);
  }

  /** Frees a block; returns whether its unit went with it. */
  boolean free(long place, long bytes) {
    long first = unitOf(place);
    Long used = units.get(first);
    if (used == null) {
      throw new IllegalStateException("no unit has the place " + place);
    }
    long start = place;
    long end = place + bytes;
    Map.Entry<Long, Hole> before = holes.lowerEntry(place);
    if (before != null && before.getValue().end == place && place != first) {
      start = before.getValue().start;
      remove(before.getValue());
    }
    Hole after = end == first + unit ? null : holes.get(end);
    if (after != null) {
      end = after.end;
      remove(after);
    }
    if (used == bytes) {
      units.remove(first);
      return true;
    }
    units.put(first, used - bytes);
    add(start, end);
    return false;
  }

  /** Returns the first place of the unit of a place. */
  long unitOf(long place) {
    return place & -unit;
  }
}
