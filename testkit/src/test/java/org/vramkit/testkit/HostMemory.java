package org.vramkit.testkit;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** Ranges of host memory at made-up addresses. */
final class HostMemory implements DeviceMemory {
  static final long CAPACITY = 448 * ByteSize.MIB;

  private final TreeMap<Long, byte[]> ranges = new TreeMap<>();
  private long next;
  private long used;

  HostMemory(long first) {
    next = first;
  }

  synchronized long used() {
    return used;
  }

  @Override
  public synchronized long allocate(long bytes) {
    if (bytes <= 0) {
      throw new InvalidArgumentException("size must be positive, found " + bytes);
    }
    if (bytes > CAPACITY - used) {
      throw new DeviceOutOfMemoryException(
          bytes, new DriverStatus(DriverStatus.OUT_OF_MEMORY, "OUT_OF_MEMORY", "allocate"));
    }
    long address = next;
    next += ByteSize.roundUp(bytes, 256) + 256;
    used += bytes;
    ranges.put(address, new byte[(int) bytes]);
    return address;
  }

  @Override
  public synchronized void free(long address) {
    byte[] bytes = ranges.remove(address);
    if (bytes == null) {
      throw new InvalidArgumentException("nothing allocated at " + address);
    }
    used -= bytes.length;
  }

  synchronized int count() {
    return ranges.size();
  }

  /** The bytes of a part of one range. */
  synchronized ByteBuffer at(long address, long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException("size must not be negative, found " + bytes);
    }
    if (bytes == 0) {
      return ByteBuffer.allocate(0);
    }
    Map.Entry<Long, byte[]> range = ranges.floorEntry(address);
    if (range == null || address + bytes > range.getKey() + range.getValue().length) {
      throw new InvalidArgumentException("not allocated: " + address + ", " + bytes + " bytes");
    }
    int offset = (int) (address - range.getKey());
    return ByteBuffer.wrap(range.getValue(), offset, (int) bytes);
  }
}
