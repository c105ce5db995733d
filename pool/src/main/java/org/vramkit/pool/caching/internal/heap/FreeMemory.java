package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;

/** What the driver says of the memory that a heap takes from it; calls it without a lock. */
public final class FreeMemory {
  /** Of memory that nobody tells anything about, and of which each request shows what there is. */
  public static final FreeMemory UNKNOWN = new FreeMemory(null, Long.MAX_VALUE);

  /** Null where the driver does not tell. */
  private final @Nullable Device device;

  private final long totalBytes;

  private FreeMemory(@Nullable Device device, long totalBytes) {
    this.device = device;
    this.totalBytes = totalBytes;
  }

  /**
   * Of a device's own memory. One that shares the host's tells less than it has: the host gives up
   * file caches when it is asked for memory.
   */
  public static FreeMemory of(Device device) {
    DeviceProperties properties = device.getProperties();
    return new FreeMemory(properties.integrated() ? null : device, properties.totalMemoryBytes());
  }

  /** Bytes that there are in all, {@link Long#MAX_VALUE} if unknown; asks no driver. */
  public long totalBytes() {
    return totalBytes;
  }

  /** Bytes that nobody has taken; {@link Long#MAX_VALUE} where the driver does not tell. */
  public long freeBytes() {
    if (device == null) {
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
