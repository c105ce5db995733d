package org.vramkit.sim.driver;

/**
 * Makes driver calls fail. A call that fails changes nothing but is counted and costs its time.
 * Names are those of {@link DriverFunction#getFunctionName()}; any other is refused. Safe for any
 * thread; all methods that plan return the plan.
 */
public interface FaultPlan {

  /** The next call of a function fails, once. */
  default FaultPlan failNext(String name, Fault fault) {
    return failNth(name, 1, fault);
  }

  /**
   * One call of a function fails, once.
   *
   * @param nth which from now on; 1 is the next
   */
  FaultPlan failNth(String name, long nth, Fault fault);

  /** Every call of a function fails until {@link #clear}. */
  FaultPlan failEvery(String name, Fault fault);

  /**
   * One call of any function fails, once.
   *
   * @param number its {@link DriverCall#number()}
   */
  FaultPlan failCall(long number, Fault fault);

  /**
   * Calls of a function fail at random, drawn from the backend's seed, until {@link #clear}.
   *
   * @param probability from 0 to 1
   */
  FaultPlan failRandomly(String name, double probability, Fault fault);

  /** Forgets all that is planned; what a fatal fault has done stays. */
  FaultPlan clear();

  /** How many calls were made to fail so far. */
  long getInjected();
}
