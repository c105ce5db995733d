package org.vramkit.sim.driver;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Which driver calls a rule of a {@link FaultPlan} concerns. All conditions must hold; counts begin
 * when the plan is injected and go over the calls of the function that fall into the time.
 *
 * @param function whose calls; null for any function's
 * @param number the {@link DriverCall#number()} of one call; 0 for any
 * @param nth one call, counted from 1; 0 for any
 * @param every each call whose count is a multiple of it; 1 for all
 * @param probability the share of calls, drawn from the backend's seed; from 0 to 1
 * @param fromNanos virtual time before which nothing happens
 * @param untilNanos virtual time from which on nothing happens any more
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

  /** Every call of every function. */
  public static CallSelector any() {
    return ANY;
  }

  /**
   * Every call of one function.
   *
   * @param name {@link DriverFunction#getFunctionName()}
   * @throws InvalidArgumentException for a name that the simulator lacks
   */
  public static CallSelector of(String name) {
    return new CallSelector(DriverFunction.of(name), 0, 0, 1, 1, 0, Long.MAX_VALUE);
  }

  /** Only the call of this number, from 1; once. */
  public CallSelector withNumber(long value) {
    Selection.requireCount(value);
    return new CallSelector(function, value, nth, every, probability, fromNanos, untilNanos);
  }

  /** Only the nth call, from 1; once. */
  public CallSelector withNth(long value) {
    Selection.requireCount(value);
    return new CallSelector(function, number, value, every, probability, fromNanos, untilNanos);
  }

  /** Only each so-and-so-manieth call; 2 is every other one. */
  public CallSelector withEvery(long value) {
    return new CallSelector(function, number, nth, value, probability, fromNanos, untilNanos);
  }

  /** Only a random share of the calls. */
  public CallSelector withProbability(double value) {
    return new CallSelector(function, number, nth, every, value, fromNanos, untilNanos);
  }

  /** Only from a virtual time on, in nanoseconds. */
  public CallSelector from(long nanos) {
    return new CallSelector(function, number, nth, every, probability, nanos, untilNanos);
  }

  /** Only before a virtual time, in nanoseconds. */
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
