package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.units.ByteSize;

/**
 * The text of out-of-memory errors: the memory of the device, and the alternatives, each of which
 * makes the request succeed. Sizes are rounded by less than 1 MiB, to the side that suffices.
 */
public final class Remedies {
  private final List<String> ways = new ArrayList<>();

  /**
   * Returns the memory of a device; null if the driver does not report it.
   *
   * @param untold receives the driver's error
   * @throws FatalDeviceException if the device is lost
   */
  public static @Nullable MemoryInfo infoOf(Device device, Consumer<GpuException> untold) {
    try {
      return device.getMemoryInfo();
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException e) {
      untold.accept(e);
      return null;
    }
  }

  /** Returns a clause about the memory of the device; null if the driver did not report it. */
  public static String wordsOf(@Nullable MemoryInfo info) {
    return info == null
        ? "the device's free memory is unknown"
        : "the device has "
            + ByteSize.format(info.freeBytes())
            + " free of "
            + ByteSize.format(info.totalBytes());
  }

  /** Prefixes an error of an allocator with the request to a pool over it. */
  public static DeviceOutOfMemoryException noMemoryFor(
      String wanted, DeviceOutOfMemoryException cause) {
    String message = "no memory for " + wanted + ": " + cause.getMessage();
    return cause instanceof AllocatorOutOfMemoryException told
        ? new AllocatorOutOfMemoryException(message, told.getReport(), told.getStatus(), told)
        : new DeviceOutOfMemoryException(
            message, cause.getRequestedBytes(), cause.getStatus(), cause);
  }

  public Remedies add(String way) {
    ways.add(way);
    return this;
  }

  /** Adds to raise the limit by {@code bytes}. */
  public Remedies raise(long bytes) {
    return add("raise the limit by " + ByteSize.formatUp(bytes));
  }

  /** Adds to close allocations of {@code bytes}, unless fewer bytes are {@code held}. */
  public Remedies freeOf(long held, long bytes) {
    if (bytes > held) {
      return this;
    }
    // Rounded up, it might be more than is held.
    return add(
        ByteSize.parse(ByteSize.formatUp(bytes)) <= held ? toFree(bytes) : "free " + bytes + " B");
  }

  /**
   * Adds to free memory of other users of the device.
   *
   * @param first what to do as well; empty for nothing
   * @param held bytes that these users hold
   */
  public Remedies freeOfOthers(String first, long bytes, long held) {
    return add(
        first
            + (first.isEmpty() ? "" : ", and ")
            + toFree(bytes)
            + "; other users of the device hold "
            + ByteSize.format(held));
  }

  private static String toFree(long bytes) {
    return "free " + ByteSize.formatUp(bytes);
  }

  /** Adds to request at most {@code bytes}, unless that is nothing. */
  public Remedies askForAtMost(long bytes) {
    return bytes > 0 ? add("ask for at most " + ByteSize.formatDown(bytes)) : this;
  }

  public boolean isEmpty() {
    return ways.isEmpty();
  }

  /** Returns the alternatives as a phrase; empty if there are none. */
  @Override
  public String toString() {
    return String.join(", or ", ways);
  }
}
