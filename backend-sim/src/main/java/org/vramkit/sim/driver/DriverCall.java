package org.vramkit.sim.driver;

import java.util.Objects;

/**
 * A call to the driver.
 *
 * @param number its number among all calls, from 1, as {@link FaultInjector#failCall} takes it
 * @param function the driver's function
 * @param bytes its size; 0 if it has none
 * @param timeNanos virtual time of the call
 * @param costNanos its cost to the host, without waiting
 * @param failed whether it failed by plan or was refused
 * @param consequence whether it failed only because the process's devices were lost before it
 */
public record DriverCall(
    long number,
    DriverFunction function,
    long bytes,
    long timeNanos,
    long costNanos,
    boolean failed,
    boolean consequence) {
  /** Checks the arguments. */
  public DriverCall {
    Objects.requireNonNull(function, "function");
  }
}
