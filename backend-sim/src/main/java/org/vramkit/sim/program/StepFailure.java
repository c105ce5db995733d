package org.vramkit.sim.program;

import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.GpuException;

/**
 * How a step failed.
 *
 * @param type simple name of the exception; empty if it did not fail
 * @param code the driver's status; 0 if the driver was not asked
 * @param status the driver's name of it
 * @param function the driver's function that answered it
 */
public record StepFailure(String type, int code, String status, String function) {
  /** It did not fail. */
  public static final StepFailure NONE = new StepFailure("", 0, "", "");

  /** What an exception tells. */
  public static StepFailure of(RuntimeException failure) {
    String type = failure.getClass().getSimpleName();
    if (failure instanceof GpuException gpu && gpu.getStatus().isFromDriver()) {
      DriverStatus status = gpu.getStatus();
      return new StepFailure(type, status.code(), status.name(), status.call());
    }
    return new StepFailure(type, 0, "", "");
  }

  /** Whether it failed at all. */
  public boolean isFailed() {
    return !type.isEmpty();
  }

  /** Whether the driver refused, so that its refusal can be planned when the step runs again. */
  public boolean isFromDriver() {
    return code != 0;
  }

  @Override
  public String toString() {
    return isFromDriver() ? type + " (" + function + " returned " + code + ")" : type;
  }
}
