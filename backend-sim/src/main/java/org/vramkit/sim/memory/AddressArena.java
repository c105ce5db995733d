package org.vramkit.sim.memory;

import java.util.Comparator;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A range of addresses from which pieces are taken, best fit, lowest address first. */
public final class AddressArena {
  private record Hole(long start, long bytes) {
    static final Comparator<Hole> BY_SIZE =
        Comparator.comparingLong(Hole::bytes).thenComparingLong(Hole::start);
  }

  private final long start;
  private final long bytes;
  private final TreeMap<Long, Hole> byAddress = new TreeMap<>();
  private final TreeSet<Hole> bySize = new TreeSet<>(Hole.BY_SIZE);

  /** An arena whose whole range is free. */
  public AddressArena(long start, long bytes) {
    this.start = start;
    this.bytes = bytes;
    add(new Hole(start, bytes));
  }

  /** Its first address. */
  public long getStart() {
    return start;
  }

  /** Whether nothing is taken. */
  public boolean isUntouched() {
    Hole hole = byAddress.get(start);
    return hole != null && hole.bytes == bytes;
  }

  /**
   * Takes a piece.
   *
   * @param size more than 0
   * @param alignment a power of two
   * @return its address, or -1 if no hole is large enough
   */
  public long take(long size, long alignment) {
    for (Hole hole : bySize.tailSet(new Hole(0, size))) {
      long address = (hole.start + alignment - 1) & -alignment;
      long skipped = address - hole.start;
      if (hole.bytes - skipped >= size) {
        remove(hole);
        add(new Hole(hole.start, skipped));
        add(new Hole(address + size, hole.bytes - skipped - size));
        return address;
      }
    }
    return -1;
  }

  /** Gives back what {@link #take} returned. */
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

  private static @Nullable Hole value(java.util.Map.@Nullable Entry<Long, Hole> entry) {
    return entry == null ? null : entry.getValue();
  }

  private void add(Hole hole) {
    if (hole.bytes > 0) {
      byAddress.put(hole.start, hole);
      bySize.add(hole);
    }
  }

  private void remove(Hole hole) {
    byAddress.remove(hole.start);
    bySize.remove(hole);
  }
}
