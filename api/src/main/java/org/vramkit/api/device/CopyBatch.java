package org.vramkit.api.device;

import java.util.Arrays;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Copies between a device and a page-locked buffer, all in one direction, for {@link
 * Stream#copyAll}. Their ranges must not overlap, because a driver may copy them in any order.
 *
 * <p>A driver call takes as long as copying some hundred KiB. So a copy that continues the copy
 * added before it, on both sides, becomes part of it. Not thread-safe.
 */
public final class CopyBatch {
  private static final int FIRST_CAPACITY = 16;

  private final boolean toHost;
  private int count;
  private long[] offsets = new long[FIRST_CAPACITY];
  private long[] addresses = new long[FIRST_CAPACITY];
  private long[] sizes = new long[FIRST_CAPACITY];

  private CopyBatch(boolean toHost) {
    this.toHost = toHost;
  }

  /** Returns an empty batch of copies to the host. */
  public static CopyBatch toHost() {
    return new CopyBatch(/* toHost= */ true);
  }

  /** Returns an empty batch of copies to the device. */
  public static CopyBatch toDevice() {
    return new CopyBatch(/* toHost= */ false);
  }

  /**
   * Adds a copy.
   *
   * @param offset first byte of the buffer
   * @param address first device byte
   * @param bytes the length, not negative; 0 adds nothing
   */
  public void add(long offset, long address, long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException("the number of bytes must be 0 or more, not " + bytes);
    }
    if (bytes == 0) {
      return;
    }
    int last = count - 1;
    if (last >= 0
        && offsets[last] + sizes[last] == offset
        && addresses[last] + sizes[last] == address) {
      sizes[last] += bytes;
      return;
    }
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      addresses = Arrays.copyOf(addresses, 2 * count);
      sizes = Arrays.copyOf(sizes, 2 * count);
    }
    offsets[count] = offset;
    addresses[count] = address;
    sizes[count] = bytes;
    count++;
  }

  /** Returns whether the copies go to the host. */
  public boolean isToHost() {
    return toHost;
  }

  /** Returns the number of copies; copies that continue each other count as one. */
  public int getCount() {
    return count;
  }

  /** Returns the first byte of the buffer of a copy. */
  public long getOffset(int index) {
    return offsets[Objects.checkIndex(index, count)];
  }

  /** Returns the first device byte of a copy. */
  public long getAddress(int index) {
    return addresses[Objects.checkIndex(index, count)];
  }

  /** Returns the length of a copy. */
  public long getBytes(int index) {
    return sizes[Objects.checkIndex(index, count)];
  }

  @Override
  public String toString() {
    return (count == 1 ? "1 copy " : count + " copies ")
        + (toHost ? "to the host" : "to the device");
  }
}
