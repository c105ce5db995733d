package org.vramkit.pool.caching;

import java.util.Map;
import java.util.TreeMap;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.units.ByteSize;

/**
 * A user's source of segments as plain allocation, not trusted: memory that overlaps what it gave
 * before would let two owners write the same bytes. Guarded by the growth lock.
 */
final class SourceMemory implements DeviceMemory {
  /** What plain allocation promises. */
  private static final long ALIGNMENT = 256;

  private final SegmentSource source;
  private final TreeMap<Long, Long> sizes = new TreeMap<>();

  SourceMemory(SegmentSource source) {
    this.source = source;
  }

  @Override
  public long allocate(long bytes) {
    long address = source.allocate(bytes);
    if (address == 0 || address % ALIGNMENT != 0) {
      throw wrong(address, bytes, "which is not a multiple of 256 above 0");
    }
    Map.Entry<Long, Long> below = sizes.lowerEntry(address + bytes);
    if (below != null && below.getKey() + below.getValue() > address) {
      throw wrong(
          address,
          bytes,
          "where it gave "
              + ByteSize.format(below.getValue())
              + " at 0x"
              + Long.toHexString(below.getKey())
              + " before");
    }
    sizes.put(address, bytes);
    return address;
  }

  private IllegalStateException wrong(long address, long bytes, String what) {
    return new IllegalStateException(
        "segment source "
            + source
            + " gave 0x"
            + Long.toHexString(address)
            + " for "
            + ByteSize.format(bytes)
            + ", "
            + what
            + ": mend the source");
  }

  @Override
  public void free(long address) {
    Long bytes = sizes.get(address);
    if (bytes == null) {
      throw new IllegalStateException("no segment at 0x" + Long.toHexString(address));
    }
    source.free(address, bytes);
    sizes.remove(address);
  }
}
