package org.vramkit.sim.driver;

import java.util.Objects;

/**
 * One call to the driver.
 *
 * @param number its number among all calls, from 1; what {@link FaultInjector#failCall} takes
 * @param function the driver's function
 * @param bytes what it concerned; 0 if nothing
 * @param timeNanos virtual time at which it was made
 * @param costNanos what it cost the host, without waiting
 * @param failed whether it was made to fail or was refused
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
  /** Refuses what is missing. */
  public DriverCall {
    Objects.requireNonNull(function, "function");
  }
}
