package org.vramkit.sim.driver;

import java.util.Objects;

/**
 * A call to the driver.
 *
 * @param number the number of the call among all calls, from 1, for {@link FaultInjector#failCall}
 * @param function the driver's function
 * @param bytes the size that the call names; 0 if it has none
 * @param timeNanos virtual time of the call
 * @param costNanos time that the call kept the host busy, without waiting for work
 * @param failed whether the call failed by plan or was refused
 * @param consequence whether the call failed only because the process had lost its devices before
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
