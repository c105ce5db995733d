package org.vramkit.sim;

import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.sim.driver.DriverFunction;

/**
 * Why the process has no devices any more.
 *
 * @param status the first status, which every later call answers again
 * @param since what lost them, in words: an operation, or a call
 * @param planned whether a fault plan did, by the failure of a call
 */
record Loss(DriverStatus status, String since, boolean planned) {

  /** What a call throws that fails only because of what happened before. */
  FatalDeviceException consequence(DriverFunction function) {
    return new FatalDeviceException(
        "the process's CUDA is lost since " + since + "; start a new process",
        new DriverStatus(status.code(), status.name(), function.getFunctionName()));
  }
}
