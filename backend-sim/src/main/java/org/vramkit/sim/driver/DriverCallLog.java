package org.vramkit.sim.driver;

import java.util.List;
import java.util.Map;

/**
 * Every call to the simulated driver since the last reset: how many, what they cost, and the most
 * recent ones. Safe for any thread. Names are those of {@link DriverFunction#getFunctionName()}.
 */
public interface DriverCallLog {
  /** How many of the latest calls {@link #getRecent()} remembers. */
  int RECENT = 1024;

  /** All calls. */
  long getTotal();

  /**
   * Calls of one function.
   *
   * @throws org.vramkit.api.error.InvalidArgumentException for a name that the simulator lacks
   */
  long getCount(String name);

  /** Calls by name, in the order of {@link DriverFunction}; only functions that were called. */
  Map<String, Long> getCounts();

  /** Calls that failed, by name; only functions that failed. */
  Map<String, Long> getFailures();

  /**
   * What all calls that manage memory or order cost the host, in nanoseconds; submitting work and
   * the time spent waiting are not in it.
   */
  long getEstimatedNanos();

  /** The same for one function, whatever its group. */
  long getEstimatedNanos(String name);

  /** The latest calls, oldest first; at most {@link #RECENT}. */
  List<DriverCall> getRecent();

  /** Starts counting from 0; numbers of calls for {@link FaultInjector#failCall} go on. */
  void reset();
}
