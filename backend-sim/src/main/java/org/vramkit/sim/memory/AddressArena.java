package org.vramkit.sim.memory;

import java.util.Map;
import java.util.TreeMap;

/**
 * A range of addresses from which pieces are taken, each behind the one before: what is given back
 * is taken again only when the end was reached, so that an address that was freed means nothing for
 * a long time. Not safe for threads.
 */
public final class AddressArena {
  private final long start;

  /** The end of each hole, by its start. */
  private final TreeMap<Long, Long> holes = new TreeMap<>();

  /** Behind the piece taken last. */
  private long next;

  public AddressArena(long start, long bytes) {
    this.start = start;
    this.next = start;
    add(start, start + bytes);
  }

  /** Takes a piece, aligned to a power of two; its address, or -1 if no hole is large enough. */
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

  /** Gives back what {@link #take} returned. */
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
