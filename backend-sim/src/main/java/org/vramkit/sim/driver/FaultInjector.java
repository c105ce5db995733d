package org.vramkit.sim.driver;

import java.util.Objects;

/**
 * Injects faults into a running simulator. A failing call changes nothing, but is counted and takes
 * its time. Function names are those of {@link DriverFunction#getFunctionName()}. Methods that plan
 * faults return the injector. Safe for any thread.
 */
public interface FaultInjector {
  /**
   * Adds the rules of a plan. Their counts begin now.
   *
   * @throws org.vramkit.api.error.InvalidArgumentException if the plan names a device that does not
   *     exist, or a stream that is not open
   */
  FaultInjector inject(FaultPlan plan);

  /**
   * Returns the rules that may still apply. Rules that apply once and have applied are left out.
   */
  FaultPlan getPlan();

  /**
   * Returns the rules that never applied, because no matching call, work or time has come. A random
   * rule counts as used once it was drawn, whatever the result. {@link #clear} removes these rules
   * too.
   */
  FaultPlan getUnused();

  /** Fails the next call of a function. Applies once. */
  default FaultInjector failNext(String name, Fault fault) {
    return failNth(name, 1, fault);
  }

  /** Fails the nth call of a function from now on; 1 is the next. Applies once. */
  default FaultInjector failNth(String name, long nth, Fault fault) {
    Objects.requireNonNull(fault, "fault");
    return inject(FaultPlan.NONE.fail(CallSelector.of(name).withNth(nth), fault));
  }

  /** Fails every call of a function until {@link #clear}. */
  default FaultInjector failEvery(String name, Fault fault) {
    Objects.requireNonNull(fault, "fault");
    return inject(FaultPlan.NONE.fail(CallSelector.of(name), fault));
  }

  /** Fails the call with this {@link DriverCall#number()}, of any function. Applies once. */
  default FaultInjector failCall(long number, Fault fault) {
    Objects.requireNonNull(fault, "fault");
    return inject(FaultPlan.NONE.fail(CallSelector.any().withNumber(number), fault));
  }

  /**
   * Fails calls with a probability, 0 to 1, drawn from the backend's seed, until {@link #clear}.
   */
  default FaultInjector failRandomly(String name, double probability, Fault fault) {
    Objects.requireNonNull(fault, "fault");
    return inject(FaultPlan.NONE.fail(CallSelector.of(name).withProbability(probability), fault));
  }

  /**
   * Removes all rules. Lost devices stay lost, and hanging work continues to hang. Memory that
   * another process holds by a rule is released at the next call.
   */
  FaultInjector clear();

  /** Ends all hanging work, and the rules that make work hang. */
  FaultInjector endHangs();

  /** Returns the number of calls that failed by plan. */
  long getInjected();
}
