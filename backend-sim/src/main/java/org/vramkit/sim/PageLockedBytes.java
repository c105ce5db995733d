package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The host's bytes that are page-locked: the driver locks none twice. Java tells no addresses of
 * buffers but their lowest bits, so where these agree a byte is tried: one that is written in one
 * buffer and seen in another is the same. Guarded by the backend's lock.
 */
final class PageLockedBytes {
  /** As many low bits as a buffer tells. */
  private static final int UNIT = 1 << 30;

  /** Twice this is more than a buffer's size. */
  private static final int UNITS = 3;

  /** Kept as long as they are locked, also when their owners have let go of them. */
  private final Map<Long, ByteBuffer> byAddress = new HashMap<>();

  void add(long address, ByteBuffer bytes) {
    byAddress.put(address, bytes);
  }

  void remove(long address) {
    byAddress.remove(address);
  }

  /** Returns whether some of a direct buffer's bytes are locked. */
  boolean overlap(ByteBuffer bytes) {
    return byAddress.values().stream().anyMatch(locked -> overlap(locked, bytes));
  }

  private static boolean overlap(ByteBuffer one, ByteBuffer other) {
    long low = (long) other.alignmentOffset(0, UNIT) - one.alignmentOffset(0, UNIT);
    for (int units = -UNITS; units <= UNITS; units++) {
      // How far the other may begin behind the one.
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
