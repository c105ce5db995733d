package org.vramkit.tools.trace;

import it.unimi.dsi.fastutil.longs.Long2IntRBTreeMap;
import it.unimi.dsi.fastutil.longs.Long2IntSortedMap;
import it.unimi.dsi.fastutil.longs.LongSortedSet;

/** The numbers of live allocations by their addresses. */
final class LiveAllocations {
  static final int NONE = -1;

  private final Long2IntRBTreeMap numbers = new Long2IntRBTreeMap();

  LiveAllocations() {
    numbers.defaultReturnValue(NONE);
  }

  /** The allocation that begins at an address, or {@link #NONE}. */
  int at(long address) {
    return numbers.get(address);
  }

  void put(long address, int allocation) {
    numbers.put(address, allocation);
  }

  /** Takes out the allocation that begins at an address, and answers it. */
  int remove(long address) {
    return numbers.remove(address);
  }

  /**
   * Returns whether memory from an address on lies within an allocation, or an allocation within
   * it, of those that begin next to it below and above.
   *
   * @param sizes of the allocations
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

  /** The addresses of all. */
  LongSortedSet addresses() {
    return numbers.keySet();
  }
}
