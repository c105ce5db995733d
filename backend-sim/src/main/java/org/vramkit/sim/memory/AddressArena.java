package org.vramkit.sim.memory;

import java.util.Map;
import java.util.TreeMap;

/**
 * Allocates address ranges. Fresh ones follow each other, and freed ranges are reused only after
 * the end of all addresses was reached, so that a freed address stays invalid for a long time. Not
 * thread-safe.
 */
public final class AddressArena {
  private final long start;
  private final boolean fresh;

  /** Ends of free ranges, by their starts. */
  private final TreeMap<Long, Long> holes = new TreeMap<>();

  /** The end of the latest range. */
  private long next;

  /** Creates an arena of free addresses; {@code fresh} if freed ones are not to be reused soon. */
  public AddressArena(long start, long bytes, boolean fresh) {
    this.start = start;
    this.fresh = fresh;
    this.next = start;
    add(start, start + bytes);
  }

  /**
   * Allocates a range aligned to a power of two; returns its address, or -1 if no hole is large
   * enough.
   */
  public long allocate(long size, long alignment) {
    long address = allocateFrom(next, size, alignment);
    return address >= 0 ? address : allocateFrom(start, size, alignment);
  }

  private long allocateFrom(long from, long size, long alignment) {
    Map.Entry<Long, Long> hole = holes.floorEntry(from);
    if (hole == null || hole.getValue() <= from) {
      hole = holes.higherEntry(from);
    }
    while (hole != null) {
      long first = hole.getKey();
      long end = hole.getValue();
      long address = (Math.max(first, from) + alignment - 1) & -alignment;
      if (end - address >= size) {
        next = address + size;
        holes.remove(first);
        add(first, address);
        add(next, end);
        return address;
      }
      hole = holes.higherEntry(first);
    }
    return -1;
  }

  /** Returns whether freed addresses are not reused soon. */
  boolean isFresh() {
    return fresh;
  }

  /** Like {@link #allocate}, but at the lowest address that fits. */
  long allocateLowest(long size, long alignment) {
    return allocateFrom(start, size, alignment);
  }

  /** Like {@link #allocate}, but at the highest address that fits. */
  long allocateHighest(long size, long alignment) {
    for (Map.Entry<Long, Long> hole : holes.descendingMap().entrySet()) {
      long first = hole.getKey();
      long end = hole.getValue();
      long address = (end - size) & -alignment;
      if (address >= first && size <= end - first) {
        holes.remove(first);
        add(first, address);
        add(address + size, end);
        return address;
      }
    }
    return -1;
  }

  /** Frees a range that was allocated. */
  public void free(long address, long size) {
    long from = address;
    long to = address + size;
    Map.Entry<Long, Long> before = holes.lowerEntry(address);
    if (before != null && before.getValue() == address) {
      from = before.getKey();
    }
    Long after = holes.remove(to);
    add(from, after == null ? to : after);
  }

  private void add(long from, long to) {
    if (to > from) {
      holes.put(from, to);
    }
  }
}
