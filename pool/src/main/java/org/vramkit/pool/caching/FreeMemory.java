package org.vramkit.pool.caching;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;

/** What the driver says of the memory that a heap takes from it; calls it without a lock. */
final class FreeMemory {
  /** Of memory that nobody tells anything about, and of which each request shows what there is. */
  static final FreeMemory UNKNOWN = new FreeMemory(null);

  private final @Nullable Device device;

  private FreeMemory(@Nullable Device device) {
    this.device = device;
  }

  /** Of a device's own memory. */
  static FreeMemory of(Device device) {
    return new FreeMemory(device);
  }

  /** Bytes that there are in all; asks no driver. */
  long totalBytes() {
    return device == null ? Long.MAX_VALUE : device.getProperties().totalMemoryBytes();
  }

  /**
   * Bytes that nobody has taken; {@link Long#MAX_VALUE} where the driver does not tell. A device
   * that shares the host's memory tells too little: the host gives up file caches when asked.
   */
  long freeBytes() {
    if (device == null || device.getProperties().integrated()) {
      return Long.MAX_VALUE;
    }
    try {
      return device.getMemoryInfo().freeBytes();
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException untold) {
      // Whatever is asked of the driver next shows it as well.
      return Long.MAX_VALUE;
    }
  }
}
