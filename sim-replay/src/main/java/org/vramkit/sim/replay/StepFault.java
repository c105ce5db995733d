package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The effect of a fault plan on the work of one step. Kept with the step rather than as the plan,
 * whose counts and times would hit other work as soon as a step is left out.
 *
 * @param delayNanos how much longer the work took, in nanoseconds of virtual time; not negative
 * @param hangs whether it never ended by itself
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public record StepFault(
    @JsonSetter(nulls = Nulls.AS_EMPTY) long delayNanos,
    @JsonSetter(nulls = Nulls.AS_EMPTY) boolean hangs) {
  /** Nothing was done to it. */
  public static final StepFault NONE = new StepFault(0, false);

  /** Checks the range. */
  public StepFault {
    if (delayNanos < 0) {
      throw new InvalidArgumentException(
          "work is delayed by 0 ns or more, not " + delayNanos + "; record the program again");
    }
  }

  /** Returns whether anything was done to it. */
  @JsonIgnore
  public boolean isAny() {
    return delayNanos > 0 || hangs;
  }

  @Override
  public String toString() {
    return (hangs ? "hangs" : "") + (delayNanos > 0 ? "delayed by " + delayNanos + " ns" : "");
  }
}
