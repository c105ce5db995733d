package org.vramkit.sim;

import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.sim.driver.DriverFunction;

/**
 * Why the process has no devices any more: the status that every later call answers again, the
 * operation or call that lost them, and whether a fault plan made it.
 */
record Loss(DriverStatus status, String since, boolean planned) {
  /** What a call throws that fails only because of what happened before. */
  FatalDeviceException consequence(DriverFunction function) {
    return new FatalDeviceException(
        "the process's CUDA is lost since " + since + "; start a new process",
        new DriverStatus(status.code(), status.name(), function.getFunctionName()));
  }
}
