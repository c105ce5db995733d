package org.vramkit.pool.caching.internal.heap;

import java.util.Map;
import java.util.TreeMap;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.SegmentSource;
import org.vramkit.pool.support.PoolDriverCalls;
import org.vramkit.pool.support.UserError;

/**
 * Adapts a user's source of segments to plain allocation. Refuses a segment that overlaps an
 * earlier one, because two owners would write to it. Notifies the observer, because the memory may
 * belong to another allocator. Guarded by the growth lock.
 */
public final class SourceMemory implements DeviceMemory {
  /** The alignment that segments must have, as {@code cuMemAlloc} guarantees it. */
  private static final long ALIGNMENT = 256;

  private final SegmentSource source;
  private final MemoryObserver observer;
  private final TreeMap<Long, Long> sizes = new TreeMap<>();

  public SourceMemory(SegmentSource source, MemoryObserver observer) {
    this.source = source;
    this.observer = observer;
  }

  @Override
  public long allocate(long bytes) {
    // Calls that the source makes count as the allocator's, not as the program's.
    long address =
        PoolDriverCalls.get(observer, () -> UserError.callUser(() -> source.allocate(bytes)));
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
    observer.segmentTaken(address, bytes);
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
            + ": correct the source");
  }

  @Override
  public void free(long address) {
    Long bytes = sizes.get(address);
    if (bytes == null) {
      throw new IllegalStateException("no segment at 0x" + Long.toHexString(address));
    }
    observer.segmentGivenBack(address);
    try {
      PoolDriverCalls.make(observer, () -> UserError.runUser(() -> source.free(address, bytes)));
    } catch (RuntimeException | Error e) {
      observer.segmentTaken(address, bytes);
      throw e;
    }
    sizes.remove(address);
  }
}
