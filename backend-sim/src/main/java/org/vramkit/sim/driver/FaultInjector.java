package org.vramkit.sim.driver;

import java.util.Objects;

/**
 * Makes things go wrong in a running simulator. A call that fails changes nothing but is counted
 * and costs its time. Names are those of {@link DriverFunction#getFunctionName()}; any other is
 * refused. Safe for any thread; all methods that plan return the injector.
 */
public interface FaultInjector {
  /**
   * Adds a plan to what is in force; what it counts it counts from now on.
   *
   * @throws org.vramkit.api.error.InvalidArgumentException if it names a device that is not there,
   *     or a stream that is not open
   */
  FaultInjector inject(FaultPlan plan);

  /** What may still happen: rules that can hit only once are left out when they have. */
  FaultPlan getPlan();

  /**
   * The rules that never did anything: no call, no work, no moment has come that they are about. A
   * rule left to chance counts as used once it could have decided otherwise. {@link #clear} forgets
   * them.
   */
  FaultPlan getUnused();

  /** The next call of a function fails, once. */
  default FaultInjector failNext(String name, Fault fault) {
    return failNth(name, 1, fault);
  }

  /** One call of a function fails, once: the nth from now on; 1 is the next. */
  default FaultInjector failNth(String name, long nth, Fault fault) {
    Objects.requireNonNull(fault, "fault");
    return inject(FaultPlan.NONE.fail(CallSelector.of(name).withNth(nth), fault));
  }

  /** Every call of a function fails until {@link #clear}. */
  default FaultInjector failEvery(String name, Fault fault) {
    Objects.requireNonNull(fault, "fault");
    return inject(FaultPlan.NONE.fail(CallSelector.of(name), fault));
  }

  /** The call of any function with this {@link DriverCall#number()} fails, once. */
  default FaultInjector failCall(long number, Fault fault) {
    Objects.requireNonNull(fault, "fault");
    return inject(FaultPlan.NONE.fail(CallSelector.any().withNumber(number), fault));
  }

  /** Calls fail with a probability, 0 to 1, drawn from the backend's seed, until {@link #clear}. */
  default FaultInjector failRandomly(String name, double probability, Fault fault) {
    Objects.requireNonNull(fault, "fault");
    return inject(FaultPlan.NONE.fail(CallSelector.of(name).withProbability(probability), fault));
  }

  /**
   * Forgets all that is planned. What a fatal fault has done stays, and work that hangs goes on
   * hanging; memory that another process holds by plan goes back at the next call.
   */
  FaultInjector clear();

  /** Lets all work that hangs come to its end, and no more work hang by the rules so far. */
  FaultInjector endHangs();

  /** How many calls were made to fail so far. */
  long getInjected();
}
