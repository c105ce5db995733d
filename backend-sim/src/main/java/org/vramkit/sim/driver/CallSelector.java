package org.vramkit.sim.driver;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Selects the driver calls that a rule of a {@link FaultPlan} applies to. All conditions must hold.
 * Counts begin when the plan is injected, and include the calls that meet the conditions of {@code
 * where}.
 *
 * @param function the function; null for any
 * @param number the {@link DriverCall#number()} of one call; 0 for any
 * @param nth one call, counted from 1; 0 for any
 * @param every selects each call whose count is a multiple of this number; 1 for all
 * @param where the device, stream, thread, size, time and share
 */
public record CallSelector(
    @Nullable DriverFunction function, long number, long nth, long every, Selection where) {

  private static final CallSelector ANY = new CallSelector(null, 0, 0, 1, Selection.ANY);

  /** Checks the ranges. */
  public CallSelector {
    Objects.requireNonNull(where, "where");
    if (number < 0 || nth < 0 || every < 1) {
      throw new InvalidArgumentException(
          "calls are counted from 1; got number %s, nth %s, every %s"
              .formatted(number, nth, every));
    }
  }

  /** Selects every call of every function. */
  public static CallSelector any() {
    return ANY;
  }

  /**
   * Selects every call of one function.
   *
   * @param name the {@linkplain DriverFunction#getFunctionName() name} of a driver function
   * @throws InvalidArgumentException if the simulator has no function of this name
   */
  public static CallSelector of(String name) {
    return new CallSelector(DriverFunction.of(name), 0, 0, 1, Selection.ANY);
  }

  /** Selects only the call with this number, from 1. Applies once. */
  public CallSelector withNumber(long value) {
    Selection.requireCount(value);
    return new CallSelector(function, value, nth, every, where);
  }

  /** Selects only the nth call, from 1. Applies once. */
  public CallSelector withNth(long value) {
    Selection.requireCount(value);
    return new CallSelector(function, number, value, every, where);
  }

  /** Selects one of every {@code value} calls; 2 selects every other call. */
  public CallSelector withEvery(long value) {
    return new CallSelector(function, number, nth, value, where);
  }

  private CallSelector with(Selection other) {
    return new CallSelector(function, number, nth, every, other);
  }

  /** Selects only calls of one device, by its ordinal. */
  public CallSelector onDevice(int ordinal) {
    return with(where.onDevice(ordinal));
  }

  /** Selects only calls that concern one stream. */
  public CallSelector onStream(Stream stream) {
    return with(where.onStream(stream));
  }

  /** Selects only calls of the threads with this name. */
  public CallSelector onThread(String name) {
    return with(where.onThread(name));
  }

  /** Selects only calls that name a size of at least {@code bytes}, 0 or more. */
  public CallSelector fromBytes(long bytes) {
    return with(where.fromBytes(bytes));
  }

  /** Selects only a random share of the calls. */
  public CallSelector withProbability(double value) {
    return with(where.withProbability(value));
  }

  /** Selects only calls from a virtual time on, in nanoseconds. */
  public CallSelector from(long nanos) {
    return with(where.from(nanos));
  }

  /** Selects only calls before a virtual time, in nanoseconds. */
  public CallSelector until(long nanos) {
    return with(where.until(nanos));
  }

  @Override
  public String toString() {
    return (function == null ? "any call" : function.getFunctionName())
        + where.placeWords()
        + (number > 0 ? ", number " + number : "")
        + (nth > 0 ? ", its call " + nth : "")
        + (every > 1 ? ", one in " + every : "")
        + where.words();
  }
}
