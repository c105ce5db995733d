package org.vramkit.pool.pinned;

import java.util.Objects;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** Builds a {@link PinnedPool}. Not thread-safe. */
public final class PinnedPoolBuilder {
  private final Device device;
  private long byteLimit = Long.MAX_VALUE;

  PinnedPoolBuilder(Device device) {
    Objects.requireNonNull(device, "device").getPinnedMemory();
    this.device = device;
  }

  /**
   * Limits the bytes that are page-locked at once. The rest of the host cannot use locked memory.
   *
   * @param bytes more than 0; default no limit
   */
  public PinnedPoolBuilder byteLimit(long bytes) {
    if (bytes <= 0) {
      throw new InvalidArgumentException(
          "byte limit must be more than 0, not "
              + bytes
              + (bytes < 0 ? "; " + ByteSize.NEGATIVE_HINT : ""));
    }
    byteLimit = bytes;
    return this;
  }

  /** Builds the pool. */
  public PinnedPool build() {
    return new PinnedPool(device, byteLimit);
  }
}
