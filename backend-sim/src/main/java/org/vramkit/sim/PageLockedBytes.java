package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The page-locked bytes of the host, which the driver locks only once. Java reveals only the lowest
 * bits of a buffer's address. If these agree, a byte is written through one buffer and read through
 * the other to find whether they are the same memory. Guarded by the backend's lock.
 */
final class PageLockedBytes {
  /** The number of address bits that a buffer reveals. */
  private static final int UNIT = 1 << 30;

  /** Twice this many units exceed a buffer's size. */
  private static final int UNITS = 3;

  /** Kept while they are locked, even after their owners have dropped them. */
  private final Map<Long, ByteBuffer> byAddress = new HashMap<>();

  void add(long address, ByteBuffer bytes) {
    byAddress.put(address, bytes);
  }

  void remove(long address) {
    byAddress.remove(address);
  }

  /** Returns whether bytes of a direct buffer are locked. */
  boolean overlap(ByteBuffer bytes) {
    return byAddress.values().stream().anyMatch(locked -> overlap(locked, bytes));
  }

  private static boolean overlap(ByteBuffer one, ByteBuffer other) {
    long low = (long) other.alignmentOffset(0, UNIT) - one.alignmentOffset(0, UNIT);
    for (int units = -UNITS; units <= UNITS; units++) {
      // The distance at which the other buffer may begin.
      long behind = low + (long) units * UNIT;
      if (behind < one.capacity()
          && -behind < other.capacity()
          && isSame(one, (int) Math.max(0, behind), other, (int) Math.max(0, -behind))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSame(ByteBuffer one, int at, ByteBuffer other, int there) {
    byte found = other.get(there);
    if (one.get(at) != found) {
      return false;
    }
    other.put(there, (byte) ~found);
    boolean same = one.get(at) != found;
    other.put(there, found);
    return same;
  }
}
