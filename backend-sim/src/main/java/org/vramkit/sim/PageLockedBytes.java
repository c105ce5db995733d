package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The page-locked and managed memory of the host, no byte of which can be locked again. Java
 * reveals only the lowest bits of a buffer's address. If two buffers may overlap by these, a byte
 * is written through one and read through the other, to find out whether they share memory. Guarded
 * by the backend's lock.
 */
final class PageLockedBytes {
  /** A buffer reveals its address modulo this number. */
  private static final int UNIT = 1 << 30;

  /** Number of units searched in each direction; two are longer than the largest buffer. */
  private static final int UNITS = 3;

  /**
   * A buffer that the driver knows.
   *
   * @param device the device that locked or allocated it
   * @param registered whether the program allocated it
   * @param managed whether it is managed memory
   */
  record Locked(ByteBuffer bytes, int device, boolean registered, boolean managed) {}

  /** Known buffers by simulated address, reachable until they are unlocked or freed. */
  private final Map<Long, Locked> byAddress = new HashMap<>();

  void add(long address, Locked locked) {
    byAddress.put(address, locked);
  }

  void remove(long address) {
    byAddress.remove(address);
  }

  /** Returns a known buffer that shares bytes with a direct buffer; null if there is none. */
  @Nullable Locked overlapping(ByteBuffer bytes) {
    for (Locked each : byAddress.values()) {
      if (overlap(each.bytes, bytes)) {
        return each;
      }
    }
    return null;
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
