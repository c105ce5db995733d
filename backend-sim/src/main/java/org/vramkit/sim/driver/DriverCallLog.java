package org.vramkit.sim.driver;

import java.util.List;
import java.util.Map;

/**
 * Counts all calls to the simulated driver since the last reset, with their costs and the most
 * recent ones. Safe for any thread. Names are those of {@link DriverFunction#getFunctionName()}.
 */
public interface DriverCallLog {
  /** The number of calls that {@link #getRecent()} returns at most. */
  int RECENT = 1024;

  /** Returns the number of all calls. */
  long getTotal();

  /**
   * Returns the number of calls of one function.
   *
   * @throws org.vramkit.api.error.InvalidArgumentException if the simulator has no function of this
   *     name
   */
  long getCount(String name);

  /**
   * Returns the number of calls by name, in the order of {@link DriverFunction}. Contains only
   * functions that were called.
   */
  Map<String, Long> getCounts();

  /** Returns the number of failed calls by name. Contains only functions that failed. */
  Map<String, Long> getFailures();

  /**
   * Returns the cost in nanoseconds of all calls that manage memory or order work. Submissions of
   * work and the time of waits are not included.
   */
  long getEstimatedNanos();

  /** Returns the cost of all calls of one function, of any group, in nanoseconds. */
  long getEstimatedNanos(String name);

  /** Returns the latest calls, oldest first; at most {@link #RECENT}. */
  List<DriverCall> getRecent();

  /** Resets all counts to 0. Call numbers for {@link FaultInjector#failCall} continue. */
  void reset();
}
