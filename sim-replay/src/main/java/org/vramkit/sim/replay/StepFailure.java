package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.util.Objects;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The failure of a step.
 *
 * @param type simple name of the exception; empty if the step did not fail
 * @param code the driver's status; 0 if the driver was not called
 * @param status the driver's name for the status
 * @param function the driver's function that returned it
 * @param planned whether a fault plan made the step fail; if so, the failure is planned again when
 *     the step runs again
 */
public record StepFailure(
    String type,
    int code,
    String status,
    String function,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) @JsonSetter(nulls = Nulls.AS_EMPTY)
        boolean planned) {
  /** No failure. */
  public static final StepFailure NONE = new StepFailure("", 0, "", "", false);

  /** Checks that a planned failure has a status. */
  public StepFailure {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(function, "function");
    if (planned && code == 0) {
      throw new InvalidArgumentException(
          "a planned failure needs a driver status other than 0; record the program again");
    }
  }

  /**
   * Returns the failure that describes an exception.
   *
   * @param planned whether a fault plan made it fail
   */
  public static StepFailure of(Throwable failure, boolean planned) {
    Objects.requireNonNull(failure, "failure");
    String type = failure.getClass().getSimpleName();
    if (failure instanceof GpuException gpu && gpu.getStatus().isFromDriver()) {
      DriverStatus status = gpu.getStatus();
      return new StepFailure(type, status.code(), status.name(), status.call(), planned);
    }
    return new StepFailure(type, 0, "", "", false);
  }

  /**
   * Returns whether the step told of a lost device. Its function is the one that lost the device,
   * which need not be one that the step calls.
   */
  boolean isOfLostDevice() {
    return planned && type.equals(FatalDeviceException.class.getSimpleName());
  }

  /** Returns the other failure if both tell of the same lost device, else this one. */
  StepFailure orSame(StepFailure other) {
    boolean same = isOfLostDevice() && other.isOfLostDevice() && code == other.code;
    return same ? other : this;
  }

  /** Returns whether the step failed. */
  @JsonIgnore
  public boolean isFailed() {
    return !type.isEmpty();
  }

  @Override
  public String toString() {
    return code == 0
        ? type
        : type + " (" + function + " returned " + code + (planned ? " by plan)" : ")");
  }
}
