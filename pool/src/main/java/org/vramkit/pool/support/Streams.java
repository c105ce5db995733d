package org.vramkit.pool.support;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;

/** Utilities for streams: identity, names, and checks. */
public final class Streams {
  private Streams() {}

  /**
   * Returns whether two objects certainly are the same stream of the driver, so that their work is
   * in order. Equal objects are the same stream only while both are open: a driver may give the
   * handle of a closed stream to a new stream while work of the closed stream still runs.
   */
  @SuppressWarnings("ReferenceEquality")
  public static boolean areSame(Stream one, Stream other) {
    return one == other
        || (one.isDefault() && other.isDefault() && one.getDevice() == other.getDevice())
        || (one.equals(other) && !one.isClosed() && !other.isClosed());
  }

  /** Adds a stream unless the collection has the same one; returns whether it was added. */
  public static boolean addTo(Collection<Stream> some, Stream stream) {
    for (Stream each : some) {
      if (areSame(each, stream)) {
        return false;
      }
    }
    return some.add(stream);
  }

  static Set<Device> devicesOf(Collection<Stream> streams) {
    return streams.stream().map(Stream::getDevice).collect(Collectors.toSet());
  }

  /**
   * Performs an action on a stream. The driver may refuse it, as it does for a closed stream whose
   * work goes on.
   *
   * @return false if the action was refused; only {@link org.vramkit.api.device.Device#synchronize}
   *     can then wait for the stream
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

  public static void requirePresent(Stream stream) {
    Objects.requireNonNull(stream, "stream must not be null");
  }

  /**
   * Refuses a closed stream. Drivers do not tolerate the use of a closed stream, and the simulator
   * reports it as a hazard, so callers check here first.
   *
   * @throws ClosedException if the stream is closed; another thread may close it right after this
   *     check
   */
  public static void requireOpen(Stream stream) {
    if (stream.isClosed()) {
      throw new ClosedException(
          "stream " + nameOf(stream),
          "it takes no more work",
          "use an open stream, or make a new one");
    }
  }

  /**
   * Returns whether all streams are open. Another thread may close a stream right after this check;
   * the driver then refuses it.
   */
  public static boolean areOpen(Stream stream, Collection<Stream> others) {
    return !stream.isClosed() && others.stream().noneMatch(Stream::isClosed);
  }

  /**
   * Returns the name of a stream in statistics and messages: its handle, after its given name if it
   * has one, as in {@code copies (0x5)}.
   */
  public static String nameOf(Stream stream) {
    String handle = "0x" + Long.toHexString(stream.getHandle());
    String name = givenNameOf(stream);
    return name.isEmpty() ? handle : name + " (" + handle + ")";
  }

  /**
   * Returns the name that a stream was given; empty if it has none or the backend knows no names.
   */
  public static String givenNameOf(Stream stream) {
    return Objects.requireNonNullElse(stream.getName(), "");
  }

  public static long handleOf(String name) {
    String digits = name.substring(name.lastIndexOf("0x") + 2);
    int end = digits.endsWith(")") ? digits.length() - 1 : digits.length();
    return Long.parseUnsignedLong(digits.substring(0, end), 16);
  }

  /**
   * Refuses a stream of another device.
   *
   * @param owner what belongs to {@code device}, as the message names it, such as {@code the
   *     allocator}
   * @throws InvalidArgumentException if the stream is of another device or backend
   */
  public static void refuseForeign(Stream stream, Device device, String owner) {
    requirePresent(stream);
    if (!stream.getDevice().equals(device)) {
      throw new InvalidArgumentException(
          describe(stream, device, owner) + ": use a stream of that device");
    }
  }

  /**
   * Refuses to record a use by a stream of another device.
   *
   * @param owner what belongs to {@code device}, as the message names it, such as {@code the
   *     allocator}
   * @throws InvalidArgumentException if the stream is of another device
   */
  public static void refuseForeignUse(Stream stream, Device device, String owner) {
    requirePresent(stream);
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

  /** Returns the description of both devices, and of their backends if these differ. */
  private static String describe(Stream stream, Device device, String owner) {
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

  /** Returns the other devices, which must be of the same backend, without the device itself. */
  public static List<Device> peersOf(Device device, Device... others) {
    for (Device other : Objects.requireNonNull(others, "others")) {
      Objects.requireNonNull(other, "other");
      if (other.getBackend() != device.getBackend()) {
        throw new InvalidArgumentException(
            "memory of device %d of backend %s cannot be accessible from device %d of another backend, %s"
                .formatted(
                    device.getOrdinal(),
                    device.getBackend().getName(),
                    other.getOrdinal(),
                    other.getBackend().getName()));
      }
    }
    return java.util.stream.Stream.of(others)
        .filter(other -> !other.equals(device))
        .distinct()
        .toList();
  }

  private static boolean isOfAnotherBackend(Stream stream, Device device) {
    return stream.getDevice().getBackend() != device.getBackend();
  }
}
