package org.vramkit.sim.driver;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * The conditions that {@link CallSelector} and {@link WorkSelector} have in common. All must hold.
 *
 * @param device ordinal of the device; -1 for any
 * @param stream handle of a stream of that device; -1 for any. A call that concerns no stream has
 *     none
 * @param thread name of the thread that makes the call or submits the work; null for any
 * @param fromBytes the least size that the call names or the work accesses, in bytes
 * @param probability the share that is selected, drawn from the backend's seed; from 0 to 1
 * @param fromNanos start of the time window, in virtual time
 * @param untilNanos end of the time window, exclusive
 */
public record Selection(
    int device,
    long stream,
    @Nullable String thread,
    long fromBytes,
    double probability,
    long fromNanos,
    long untilNanos) {
  private static final int ANY_ONE = -1;

  /** Selects everything. */
  static final Selection ANY = new Selection(ANY_ONE, ANY_ONE, null, 0, 1, 0, Long.MAX_VALUE);

  /** Checks the ranges. */
  public Selection {
    if (device < ANY_ONE || stream < ANY_ONE || (device == ANY_ONE && stream != ANY_ONE)) {
      throw new InvalidArgumentException(
          "a stream is known by its device and handle; got " + device + " and " + stream);
    }
    if (fromBytes < 0) {
      throw new InvalidArgumentException("a size is 0 bytes or more; got " + fromBytes);
    }
    if (!(probability >= 0 && probability <= 1)) {
      throw new InvalidArgumentException("a probability is from 0 to 1; got " + probability);
    }
    requireTimes(fromNanos, untilNanos);
  }

  static void requireTimes(long from, long until) {
    if (from < 0 || until <= from) {
      throw new InvalidArgumentException(
          ("a fault needs a time that begins at 0 ns or later and ends after that; got from %s"
                  + " until %s")
              .formatted(from, until));
    }
  }

  static void requireCount(long count) {
    if (count < 1) {
      throw new InvalidArgumentException("calls and work are counted from 1; got " + count);
    }
  }

  Selection onDevice(int ordinal) {
    if (ordinal < 0) {
      throw new InvalidArgumentException("devices are numbered from 0; got " + ordinal);
    }
    return new Selection(ordinal, ANY_ONE, thread, fromBytes, probability, fromNanos, untilNanos);
  }

  Selection onStream(Stream one) {
    Objects.requireNonNull(one, "stream");
    int ordinal = one.getDevice().getOrdinal();
    return new Selection(
        ordinal, one.getHandle(), thread, fromBytes, probability, fromNanos, untilNanos);
  }

  Selection onThread(String name) {
    Objects.requireNonNull(name, "name");
    return new Selection(device, stream, name, fromBytes, probability, fromNanos, untilNanos);
  }

  Selection fromBytes(long bytes) {
    return new Selection(device, stream, thread, bytes, probability, fromNanos, untilNanos);
  }

  Selection withProbability(double value) {
    return new Selection(device, stream, thread, fromBytes, value, fromNanos, untilNanos);
  }

  Selection from(long nanos) {
    return new Selection(device, stream, thread, fromBytes, probability, nanos, untilNanos);
  }

  Selection until(long nanos) {
    return new Selection(device, stream, thread, fromBytes, probability, fromNanos, nanos);
  }

  /**
   * Returns whether what the calling thread does meets all conditions except the random one.
   *
   * @param onStream handle of the stream; -1 if the call concerns none
   * @param nanos the virtual time
   */
  public boolean matches(int onDevice, long onStream, long bytes, long nanos) {
    return (device == ANY_ONE || device == onDevice)
        && (stream == ANY_ONE || stream == onStream)
        && bytes >= fromBytes
        && nanos >= fromNanos
        && nanos < untilNanos
        && (thread == null || thread.equals(Thread.currentThread().getName()));
  }

  static String timeWords(long from, long until) {
    return (from > 0 ? ", from " + from + " ns" : "")
        + (until < Long.MAX_VALUE ? ", until " + until + " ns" : "");
  }

  /** Returns the place, with a space before it; empty for any. */
  String placeWords() {
    if (device == ANY_ONE) {
      return "";
    }
    return stream == ANY_ONE
        ? " of device " + device
        : " of stream 0x%x of device %s".formatted(stream, device);
  }

  /** Returns the other conditions, with a comma before each. */
  String words() {
    return (thread == null ? "" : ", by thread " + thread)
        + (fromBytes == 0 ? "" : ", of " + ByteSize.format(fromBytes) + " or more")
        + (probability < 1 ? ", with probability " + probability : "")
        + timeWords(fromNanos, untilNanos);
  }
}
