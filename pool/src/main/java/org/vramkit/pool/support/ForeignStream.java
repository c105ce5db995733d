package org.vramkit.pool.support;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;

/** The refusal of a stream that belongs to another device, be it of this or another backend. */
public final class ForeignStream {
  private ForeignStream() {}

  /**
   * Refuses a stream that cannot be used on a device.
   *
   * @param owner what belongs to the device, for messages, such as {@code the allocator}
   * @throws InvalidArgumentException if it is of another device
   */
  public static void refuse(Stream stream, Device device, String owner) {
    if (!stream.getDevice().equals(device)) {
      throw new InvalidArgumentException(
          describe(stream, device, owner) + ": use a stream of that device");
    }
  }

  /**
   * Refuses a stream whose use of memory cannot be recorded.
   *
   * @param owner what belongs to the device, for messages
   * @throws InvalidArgumentException if it is of another device
   */
  public static void refuseUse(Stream stream, Device device, String owner) {
    if (!stream.getDevice().equals(device)) {
      throw new InvalidArgumentException(
          "cannot record a use: "
              + describe(stream, device, owner)
              + (isOfAnotherBackend(stream, device)
                  ? ": wait for that stream before closing"
                  : ": record an event on that stream after the use, and make the stream of the"
                      + " allocation wait for it before closing"));
    }
  }

  /** Whose is what: ordinals alone do not tell the devices of two backends apart. */
  private static String describe(Stream stream, Device device, String owner) {
    Device other = stream.getDevice();
    boolean foreign = isOfAnotherBackend(stream, device);
    return "stream "
        + Streams.nameOf(stream)
        + " belongs to device "
        + other.getOrdinal()
        + (foreign ? " of another backend, '" + other.getBackend().getName() + "'" : "")
        + ", "
        + owner
        + " to device "
        + device.getOrdinal()
        + (foreign ? " of backend '" + device.getBackend().getName() + "'" : "");
  }

  private static boolean isOfAnotherBackend(Stream stream, Device device) {
    return stream.getDevice().getBackend() != device.getBackend();
  }
}
