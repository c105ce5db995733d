package org.vramkit.sim.driver;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Selects the driver calls that a rule of a {@link FaultPlan} applies to. All conditions must hold.
 * Counts begin when the plan is injected, and include the calls of the function within the time
 * window.
 *
 * @param function the function; null for any
 * @param number the {@link DriverCall#number()} of one call; 0 for any
 * @param nth one call, counted from 1; 0 for any
 * @param every selects each call whose count is a multiple of this number; 1 for all
 * @param probability the share of calls, drawn from the backend's seed; from 0 to 1
 * @param fromNanos start of the time window, in virtual time
 * @param untilNanos end of the time window, exclusive
 */
public record CallSelector(
    @Nullable DriverFunction function,
    long number,
    long nth,
    long every,
    double probability,
    long fromNanos,
    long untilNanos) {

  private static final CallSelector ANY = new CallSelector(null, 0, 0, 1, 1, 0, Long.MAX_VALUE);

  /** Checks the ranges. */
  public CallSelector {
    if (number < 0 || nth < 0 || every < 1) {
      throw new InvalidArgumentException(
          "calls are counted from 1; got number %s, nth %s, every %s"
              .formatted(number, nth, every));
    }
    Selection.requireProbability(probability);
    Selection.requireTimes(fromNanos, untilNanos);
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
    return new CallSelector(DriverFunction.of(name), 0, 0, 1, 1, 0, Long.MAX_VALUE);
  }

  /** Selects only the call with this number, from 1. Applies once. */
  public CallSelector withNumber(long value) {
    Selection.requireCount(value);
    return new CallSelector(function, value, nth, every, probability, fromNanos, untilNanos);
  }

  /** Selects only the nth call, from 1. Applies once. */
  public CallSelector withNth(long value) {
    Selection.requireCount(value);
    return new CallSelector(function, number, value, every, probability, fromNanos, untilNanos);
  }

  /** Selects one of every {@code value} calls; 2 selects every other call. */
  public CallSelector withEvery(long value) {
    return new CallSelector(function, number, nth, value, probability, fromNanos, untilNanos);
  }

  /** Selects only a random share of the calls. */
  public CallSelector withProbability(double value) {
    return new CallSelector(function, number, nth, every, value, fromNanos, untilNanos);
  }

  /** Selects only calls from a virtual time on, in nanoseconds. */
  public CallSelector from(long nanos) {
    return new CallSelector(function, number, nth, every, probability, nanos, untilNanos);
  }

  /** Selects only calls before a virtual time, in nanoseconds. */
  public CallSelector until(long nanos) {
    return new CallSelector(function, number, nth, every, probability, fromNanos, nanos);
  }

  @Override
  public String toString() {
    return (function == null ? "any call" : function.getFunctionName())
        + (number > 0 ? ", number " + number : "")
        + (nth > 0 ? ", its call " + nth : "")
        + (every > 1 ? ", one in " + every : "")
        + Selection.words(probability, fromNanos, untilNanos);
  }
}
