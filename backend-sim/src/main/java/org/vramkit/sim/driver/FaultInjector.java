package org.vramkit.sim.driver;

import java.util.Objects;

/**
 * Injects faults into a running simulator. A failing call changes nothing, but is counted and costs
 * its time. Names are those of {@link DriverFunction#getFunctionName()}; any other is refused. Safe
 * for any thread; all planning methods return the injector.
 */
public interface FaultInjector {
  /**
   * Adds a plan to those in force; its counts begin now.
   *
   * @throws org.vramkit.api.error.InvalidArgumentException if it names a device that is not there,
   *     or a stream that is not open
   */
  FaultInjector inject(FaultPlan plan);

  /** Returns the rules that may still apply, without those that apply once and have. */
  FaultPlan getPlan();

  /**
   * Returns the rules that never applied, because no matching call, work or moment has come. A
   * random rule counts as used once chance decided about it. {@link #clear} forgets them.
   */
  FaultPlan getUnused();

  /** Fails the next call of a function, once. */
  default FaultInjector failNext(String name, Fault fault) {
    return failNth(name, 1, fault);
  }

  /** Fails one call of a function, once: the nth from now on; 1 is the next. */
  default FaultInjector failNth(String name, long nth, Fault fault) {
    Objects.requireNonNull(fault, "fault");
    return inject(FaultPlan.NONE.fail(CallSelector.of(name).withNth(nth), fault));
  }

  /** Fails every call of a function until {@link #clear}. */
  default FaultInjector failEvery(String name, Fault fault) {
    Objects.requireNonNull(fault, "fault");
    return inject(FaultPlan.NONE.fail(CallSelector.of(name), fault));
  }

  /** Fails the call of any function with this {@link DriverCall#number()}, once. */
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
   * Removes all rules. Lost devices stay lost, and hanging work continues to hang; memory that
   * another process holds by a rule is released at the next call.
   */
  FaultInjector clear();

  /** Ends all hanging work, and the rules that make work hang. */
  FaultInjector endHangs();

  /** Returns the number of calls that failed by plan. */
  long getInjected();
}
