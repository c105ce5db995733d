package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The planned fault of a step's work. The step keeps its fault, because the counts and times of a
 * fault plan would match other work once a step is removed.
 *
 * @param delayNanos delay of the work in nanoseconds of virtual time; not negative
 * @param hangs whether the work never ends by itself
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public record StepFault(
    @JsonSetter(nulls = Nulls.AS_EMPTY) long delayNanos,
    @JsonSetter(nulls = Nulls.AS_EMPTY) boolean hangs) {
  /** No fault. */
  public static final StepFault NONE = new StepFault(0, false);

  /** Checks the range. */
  public StepFault {
    if (delayNanos < 0) {
      throw new InvalidArgumentException(
          "work is delayed by 0 ns or more, not " + delayNanos + "; record the program again");
    }
  }

  /** Returns whether there is a fault. */
  @JsonIgnore
  public boolean isAny() {
    return delayNanos > 0 || hangs;
  }

  @Override
  public String toString() {
    return (hangs ? "hangs" : "") + (delayNanos > 0 ? "delayed by " + delayNanos + " ns" : "");
  }
}
