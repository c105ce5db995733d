package org.vramkit.sim.program;

import org.vramkit.api.error.InvalidArgumentException;

/**
 * What a fault plan did to the work of one step. Kept with the step rather than as the plan, whose
 * counts and times would hit other work as soon as a step is left out.
 *
 * @param delayNanos how much longer the work took, in nanoseconds of virtual time; not negative
 * @param hangs whether it never ended by itself
 */
public record StepFault(long delayNanos, boolean hangs) {
  /** Nothing was done to it. */
  public static final StepFault NONE = new StepFault(0, false);

  /** Checks the range. */
  public StepFault {
    if (delayNanos < 0) {
      throw new InvalidArgumentException(
          "work is delayed by 0 ns or more, not " + delayNanos + "; record the program again");
    }
  }

  /** Whether anything was done to it. */
  public boolean isAny() {
    return delayNanos > 0 || hangs;
  }

  @Override
  public String toString() {
    return (hangs ? "hangs" : "") + (delayNanos > 0 ? "delayed by " + delayNanos + " ns" : "");
  }
}
