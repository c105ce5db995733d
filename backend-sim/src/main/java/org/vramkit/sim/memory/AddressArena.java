package org.vramkit.sim.memory;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A range of addresses from which pieces are taken, each behind the one before: what is given back
 * is taken again only when the end was reached, so that an address that was freed means nothing for
 * a long time. Not safe for threads.
 */
public final class AddressArena {
  private record Hole(long start, long bytes) {
    long end() {
      return start + bytes;
    }
  }

  private final long start;
  private final TreeMap<Long, Hole> byAddress = new TreeMap<>();
  private long next;

  public AddressArena(long start, long bytes) {
    this.start = start;
    this.next = start;
    add(new Hole(start, bytes));
  }

  /** Takes a piece, aligned to a power of two; its address, or -1 if no hole is large enough. */
  public long take(long size, long alignment) {
    long address = takeFrom(next, size, alignment);
    return address >= 0 ? address : takeFrom(start, size, alignment);
  }

  private long takeFrom(long from, long size, long alignment) {
    Hole hole = value(byAddress.floorEntry(from));
    if (hole == null || hole.end() <= from) {
      hole = value(byAddress.higherEntry(from));
    }
    while (hole != null) {
      long address = (Math.max(hole.start, from) + alignment - 1) & -alignment;
      if (hole.end() - address >= size) {
        remove(hole);
        add(new Hole(hole.start, address - hole.start));
        add(new Hole(address + size, hole.end() - address - size));
        next = address + size;
        return address;
      }
      hole = value(byAddress.higherEntry(hole.start));
    }
    return -1;
  }

  public void giveBack(long address, long size) {
    long from = address;
    long to = address + size;
    Hole before = value(byAddress.floorEntry(address));
    if (before != null && before.start + before.bytes == from) {
      remove(before);
      from = before.start;
    }
    Hole after = byAddress.get(to);
    if (after != null) {
      remove(after);
      to += after.bytes;
    }
    add(new Hole(from, to - from));
  }

  private static @Nullable Hole value(Map.@Nullable Entry<Long, Hole> entry) {
    return entry == null ? null : entry.getValue();
  }

  private void add(Hole hole) {
    if (hole.bytes > 0) {
      byAddress.put(hole.start, hole);
    }
  }

  private void remove(Hole hole) {
    byAddress.remove(hole.start);
  }
}
