package org.vramkit.tools.trace;

import it.unimi.dsi.fastutil.longs.Long2IntRBTreeMap;
import it.unimi.dsi.fastutil.longs.Long2IntSortedMap;
import it.unimi.dsi.fastutil.longs.LongSortedSet;

/** Maps addresses to the numbers of live allocations. */
final class LiveAllocations {
  static final int NONE = -1;

  private final Long2IntRBTreeMap numbers = new Long2IntRBTreeMap();

  LiveAllocations() {
    numbers.defaultReturnValue(NONE);
  }

  /** Returns the allocation that begins at an address, or {@link #NONE}. */
  int at(long address) {
    return numbers.get(address);
  }

  void put(long address, int allocation) {
    numbers.put(address, allocation);
  }

  /** Removes and returns the allocation that begins at an address, or {@link #NONE}. */
  int remove(long address) {
    return numbers.remove(address);
  }

  /**
   * Returns whether a range overlaps the nearest allocation below it or above it.
   *
   * @param sizes sizes of all allocations by number
   */
  boolean overlap(long address, long size, long[] sizes) {
    if (size == 0) {
      return false;
    }
    Long2IntSortedMap below = numbers.headMap(address);
    if (!below.isEmpty()) {
      long begin = below.lastLongKey();
      if (sizes[numbers.get(begin)] > address - begin) {
        return true;
      }
    }
    if (address == Long.MAX_VALUE) {
      return false;
    }
    Long2IntSortedMap above = numbers.tailMap(address + 1);
    if (above.isEmpty()) {
      return false;
    }
    long begin = above.firstLongKey();
    return begin - address < size && sizes[numbers.get(begin)] > 0;
  }

  /** Returns the addresses of all live allocations. */
  LongSortedSet addresses() {
    return numbers.keySet();
  }
}
