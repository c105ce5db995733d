package org.vramkit.api.allocator;

import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * An aligned range inside a larger allocation. The allocation has enough spare bytes to contain the
 * range wherever it begins.
 */
final class AlignedAllocation implements Allocation {
  /** The alignment, in bytes, of every address that an allocator returns. */
  private static final long MIN_ALIGNMENT = 256;

  private static final long MAX_ALIGNMENT = 2 * ByteSize.MIB;

  private final Allocation whole;
  private final long address;
  private final long size;

  private AlignedAllocation(Allocation whole, long address, long size) {
    this.whole = whole;
    this.address = address;
    this.size = size;
  }

  static Allocation of(Allocator allocator, long bytes, long alignment, Stream stream) {
    if (Long.bitCount(alignment) != 1 || alignment < 1 || alignment > MAX_ALIGNMENT) {
      throw new InvalidArgumentException(
          "alignment must be a power of two up to 2 MiB, not " + alignment);
    }
    if (alignment <= MIN_ALIGNMENT || bytes <= 0 || bytes > Long.MAX_VALUE - alignment) {
      return allocator.allocate(bytes, stream);
    }
    Allocation whole = allocator.allocate(bytes + alignment - MIN_ALIGNMENT, stream);
    long address = ByteSize.roundUp(whole.getAddress(), alignment);
    return new AlignedAllocation(whole, address, bytes);
  }

  @Override
  public long getAddress() {
    whole.getAddress();
    return address;
  }

  @Override
  public long getSize() {
    return size;
  }

  @Override
  public Stream getStream() {
    return whole.getStream();
  }

  @Override
  public boolean isClosed() {
    return whole.isClosed();
  }

  @Override
  public void recordUse(Stream stream) {
    whole.recordUse(stream);
  }

  @Override
  public void close() {
    whole.close();
  }

  @Override
  public String toString() {
    return ByteSize.format(size) + " at 0x" + Long.toHexString(address) + " in " + whole;
  }
}
