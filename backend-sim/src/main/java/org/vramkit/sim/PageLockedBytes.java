package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The page-locked memory of the host, no byte of which can be locked twice. Java reveals only the
 * lowest bits of a buffer's address. If two buffers may overlap by these, a byte is written through
 * one and read through the other, to find out whether they share memory. Guarded by the backend's
 * lock.
 */
final class PageLockedBytes {
  /** A buffer reveals its address modulo this number. */
  private static final int UNIT = 1 << 30;

  /** Number of units searched in each direction; two are longer than the largest buffer. */
  private static final int UNITS = 3;

  /** Locked buffers by simulated address, reachable until they are unlocked. */
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
      // A possible distance from the start of the first buffer to that of the other.
      long distance = low + (long) units * UNIT;
      if (distance < one.capacity()
          && -distance < other.capacity()
          && isSame(one, (int) Math.max(0, distance), other, (int) Math.max(0, -distance))) {
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
