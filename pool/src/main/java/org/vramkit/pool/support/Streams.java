package org.vramkit.pool.support;

import java.util.Collection;
import java.util.Objects;
import java.util.function.Consumer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;

/** Questions about streams, and the refusal of those of another device. */
public final class Streams {
  private Streams() {}

  /**
   * Tells whether work on one is surely in order with work on the other: they are one stream of the
   * driver. Equal ones are only while both are open: a driver may give the handle of a closed
   * stream, whose work still runs, to a new one.
   */
  @SuppressWarnings("ReferenceEquality")
  public static boolean areSame(Stream one, Stream other) {
    return one == other
        || (one.isDefault() && other.isDefault() && one.getDevice() == other.getDevice())
        || (one.equals(other) && !one.isClosed() && !other.isClosed());
  }

  /** Adds a stream to some, unless one of them is the same; whether it did. */
  public static boolean addTo(Collection<Stream> some, Stream stream) {
    for (Stream each : some) {
      if (areSame(each, stream)) {
        return false;
      }
    }
    return some.add(stream);
  }

  /**
   * Does something that the driver may refuse for a stream, as it does for one that is closed but
   * goes on working.
   *
   * @return false if it was refused; then {@link org.vramkit.api.device.Device#synchronize} tells
   *     when the stream is done
   * @throws FatalDeviceException if the device is lost
   */
  public static boolean accepts(Stream stream, Consumer<Stream> action) {
    try {
      action.accept(stream);
      return true;
    } catch (FatalDeviceException e) {
      throw e;
    } catch (ClosedException | GpuException e) {
      return false;
    }
  }

  /**
   * Refuses a stream that is known to be closed, before a driver has to: to a driver the use of
   * what is closed is a fault of its caller, and a simulated one reports it.
   *
   * @throws ClosedException if it is closed; another thread may close it the moment after
   */
  public static void requireOpen(Stream stream) {
    if (stream.isClosed()) {
      throw new ClosedException(
          "stream " + nameOf(stream),
          "it takes no work any more",
          "use an open stream, or make a new one");
    }
  }

  /**
   * Tells whether a stream and its companions are open, as far as can be told: another thread may
   * close one the moment after, and the driver refuses it then.
   */
  public static boolean areOpen(Stream stream, Collection<Stream> others) {
    return !stream.isClosed() && others.stream().noneMatch(Stream::isClosed);
  }

  /**
   * The words for a stream in statistics and messages: its handle, which alone is its own, behind
   * its name where it has one, as in {@code copies (0x5)}.
   */
  public static String nameOf(Stream stream) {
    String handle = "0x" + Long.toHexString(stream.getHandle());
    String name = givenNameOf(stream);
    return name.isEmpty() ? handle : name + " (" + handle + ")";
  }

  /** The name that its maker gave a stream; empty for none, also where a backend knows no names. */
  public static String givenNameOf(Stream stream) {
    return Objects.requireNonNullElse(stream.getName(), "");
  }

  /** The handle in such words. */
  public static long handleOf(String name) {
    String digits = name.substring(name.lastIndexOf("0x") + 2);
    int end = digits.endsWith(")") ? digits.length() - 1 : digits.length();
    return Long.parseUnsignedLong(digits.substring(0, end), 16);
  }

  /**
   * Refuses a stream that cannot be used on a device.
   *
   * @param owner what belongs to the device, for messages, such as {@code the allocator}
   * @throws InvalidArgumentException if it is of another device, be it of another backend
   */
  public static void refuseForeign(Stream stream, Device device, String owner) {
    if (!stream.getDevice().equals(device)) {
      throw new InvalidArgumentException(
          whoseIsWhat(stream, device, owner) + ": use a stream of that device");
    }
  }

  /**
   * Refuses a stream whose use of memory cannot be recorded.
   *
   * @param owner what belongs to the device, for messages
   * @throws InvalidArgumentException if it is of another device
   */
  public static void refuseForeignUse(Stream stream, Device device, String owner) {
    if (!stream.getDevice().equals(device)) {
      throw new InvalidArgumentException(
          "cannot record a use: "
              + whoseIsWhat(stream, device, owner)
              + (isOfAnotherBackend(stream, device)
                  ? ": wait for that stream before closing"
                  : ": record an event on that stream after the use, and make the stream of the"
                      + " allocation wait for it before closing"));
    }
  }

  /** Whose is what: ordinals alone do not tell the devices of two backends apart. */
  private static String whoseIsWhat(Stream stream, Device device, String owner) {
    Device other = stream.getDevice();
    boolean foreign = isOfAnotherBackend(stream, device);
    return "stream "
        + nameOf(stream)
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
