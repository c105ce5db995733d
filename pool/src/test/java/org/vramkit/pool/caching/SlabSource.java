package org.vramkit.pool.caching;

import java.util.Map;
import java.util.TreeMap;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;

/**
 * A user's source of segments: parts of one range of addresses that the device's own memory does
 * not have, such as memory of a network card.
 */
public final class SlabSource implements SegmentSource {
  private final long base;
  private long bytes;

  /** Ends of parts that are taken, by their beginnings. */
  private final TreeMap<Long, Long> taken = new TreeMap<>();

  public SlabSource(long base, long bytes) {
    this.base = base;
    this.bytes = bytes;
  }

  /** Can give so much more from now on. */
  public void extend(long more) {
    bytes += more;
  }

  @Override
  public long allocate(long wanted) {
    long from = base;
    for (Map.Entry<Long, Long> each : taken.entrySet()) {
      if (each.getKey() - from >= wanted) {
        break;
      }
      from = each.getValue();
    }
    if (base + bytes - from < wanted) {
      throw new DeviceOutOfMemoryException(wanted, DriverStatus.NONE);
    }
    taken.put(from, from + wanted);
    return from;
  }

  @Override
  public void free(long address, long length) {
    taken.remove(address);
  }
}
