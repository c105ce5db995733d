package org.vramkit.sim.driver;

import java.util.Objects;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Selects the work that a rule of a {@link FaultPlan} applies to: kernels, fills and copies, by
 * place and time of submission. Counts begin when the plan is injected, and include the work of the
 * stream or device within the time window.
 *
 * @param device ordinal; -1 for any
 * @param stream handle of a stream of that device; -1 for any
 * @param fromNth the number of the first selected piece of work, from 1; all later pieces are
 *     selected too
 * @param probability the share of work, drawn from the backend's seed; from 0 to 1
 * @param fromNanos start of the time window of submissions, in virtual time
 * @param untilNanos end of the time window, exclusive
 */
public record WorkSelector(
    int device, long stream, long fromNth, double probability, long fromNanos, long untilNanos) {
  private static final int ANY = -1;

  /** Checks the ranges. */
  public WorkSelector {
    if (device < ANY || stream < ANY || (device == ANY && stream != ANY)) {
      throw new InvalidArgumentException(
          "a stream is known by its device and handle; got " + device + " and " + stream);
    }
    Selection.requireCount(fromNth);
    Selection.requireProbability(probability);
    Selection.requireTimes(fromNanos, untilNanos);
  }

  /** Selects all work. */
  public static WorkSelector any() {
    return new WorkSelector(ANY, ANY, 1, 1, 0, Long.MAX_VALUE);
  }

  /** Selects all work of one device. */
  public static WorkSelector ofDevice(int ordinal) {
    return new WorkSelector(ordinal, ANY, 1, 1, 0, Long.MAX_VALUE);
  }

  /** Selects all work of one stream. */
  public static WorkSelector ofStream(Stream stream) {
    Objects.requireNonNull(stream, "stream");
    return new WorkSelector(
        stream.getDevice().getOrdinal(), stream.getHandle(), 1, 1, 0, Long.MAX_VALUE);
  }

  /** Selects only work from the nth piece on, from 1. */
  public WorkSelector fromNth(long value) {
    return new WorkSelector(device, stream, value, probability, fromNanos, untilNanos);
  }

  /** Selects only a random share. */
  public WorkSelector withProbability(double value) {
    return new WorkSelector(device, stream, fromNth, value, fromNanos, untilNanos);
  }

  /** Selects only work from a virtual time on, in nanoseconds. */
  public WorkSelector from(long nanos) {
    return new WorkSelector(device, stream, fromNth, probability, nanos, untilNanos);
  }

  /** Selects only work before a virtual time, in nanoseconds. */
  public WorkSelector until(long nanos) {
    return new WorkSelector(device, stream, fromNth, probability, fromNanos, nanos);
  }

  @Override
  public String toString() {
    String where =
        device == ANY
            ? "any work"
            : stream == ANY
                ? "work of device " + device
                : "work of stream 0x%x of device %s".formatted(stream, device);
    return where
        + (fromNth > 1 ? ", from piece " + fromNth + " on" : "")
        + Selection.words(probability, fromNanos, untilNanos);
  }
}
