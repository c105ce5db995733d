package org.vramkit.sim.memory;

import java.util.Map;
import java.util.TreeMap;

/**
 * Packs blocks into units of one size, as the driver does: each block at the lowest place that
 * fits, a new unit if none does, and a unit goes with its last block. Places count from the first
 * unit on and are no addresses. Not thread-safe.
 */
final class Packing {
  private static final class Unit {
    /** Ends of free ranges, by their starts. */
    private final TreeMap<Long, Long> holes = new TreeMap<>();

    /** At least the size of the largest hole. */
    private long largest;

    Unit(long start, long size) {
      holes.put(start, start + size);
      largest = size;
    }

    /** Returns the lowest hole that fits, and takes it; -1 if none fits. */
    long take(long bytes) {
      long most = 0;
      for (Map.Entry<Long, Long> hole : holes.entrySet()) {
        long size = hole.getValue() - hole.getKey();
        if (size >= bytes) {
          return split(hole.getKey(), size, bytes);
        }
        most = Math.max(most, size);
      }
      largest = most;
      return -1;
    }

    private long split(long start, long size, long bytes) {
      holes.remove(start);
      if (size > bytes) {
        holes.put(start + bytes, start + size);
      }
      return start;
    }

    /** Frees a block; returns the size of the hole around it. */
    long free(long place, long bytes) {
      long from = place;
      long to = place + bytes;
      Map.Entry<Long, Long> before = holes.lowerEntry(place);
      if (before != null && before.getValue() == place) {
        from = before.getKey();
      }
      Long after = holes.remove(to);
      if (after != null) {
        to = after;
      }
      holes.put(from, to);
      largest = Math.max(largest, to - from);
      return to - from;
    }
  }

  private final long unit;

  /** Units by their first places. */
  private final TreeMap<Long, Unit> units = new TreeMap<>();

  /** Creates a packing without units; their size is a power of two. */
  Packing(long unit) {
    this.unit = unit;
  }

  /** Returns the lowest free place for a block of at most a unit; -1 if no unit has room. */
  long place(long bytes) {
    for (Unit each : units.values()) {
      if (each.largest >= bytes) {
        long place = each.take(bytes);
        if (place >= 0) {
          return place;
        }
      }
    }
    return -1;
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
    units.put(start, new Unit(start, unit));
  }

  /** Frees a block; returns whether its unit went with it. */
  boolean free(long place, long bytes) {
    long start = unitOf(place);
    Unit freed = units.get(start);
    if (freed == null) {
      throw new IllegalStateException("no unit has the place " + place);
    }
    if (freed.free(place, bytes) < unit) {
      return false;
    }
    units.remove(start);
    return true;
  }

  /** Returns the first place of the unit of a place. */
  long unitOf(long place) {
    return place & -unit;
  }
}
