package org.vramkit.pool.pinned;

import java.util.Objects;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;

/** Settings of a {@link PinnedPool}. Not safe for threads. */
public final class PinnedPoolBuilder {
  private final Device device;
  private long byteLimit = Long.MAX_VALUE;

  PinnedPoolBuilder(Device device) {
    Objects.requireNonNull(device, "device").getPinnedMemory();
    this.device = device;
  }

  /**
   * Most bytes that may be page-locked at once; what is locked is lost to the rest of the host.
   *
   * @param bytes default no limit; more than 0
   */
  public PinnedPoolBuilder byteLimit(long bytes) {
    if (bytes <= 0) {
      throw new InvalidArgumentException("byte limit must be more than 0, not " + bytes);
    }
    byteLimit = bytes;
    return this;
  }

  /** The pool. */
  public PinnedPool build() {
    return new PinnedPool(device, byteLimit);
  }
}
