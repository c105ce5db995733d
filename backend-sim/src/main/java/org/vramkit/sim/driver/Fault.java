package org.vramkit.sim.driver;

import java.util.Objects;
import java.util.Set;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The result of a failed driver call.
 *
 * @param code the driver's {@code CUresult}; not 0
 * @param name the driver's name of the code
 */
public record Fault(int code, String name) {
  /** Out of memory, without further consequences. */
  public static final Fault OUT_OF_MEMORY =
      new Fault(DriverStatus.OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY");

  /** An illegal address, which makes the process lose its devices. */
  public static final Fault FATAL =
      new Fault(DriverStatus.ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS");

  /** A misaligned address in a kernel, which makes the process lose its devices. */
  public static final Fault MISALIGNED = new Fault(716, "CUDA_ERROR_MISALIGNED_ADDRESS");

  /** Work that failed on the device, which makes the process lose its devices. */
  public static final Fault LAUNCH_FAILED = new Fault(719, "CUDA_ERROR_LAUNCH_FAILED");

  /** The result when a watchdog ends work that runs too long. The process loses its devices. */
  public static final Fault TIMEOUT = new Fault(702, "CUDA_ERROR_LAUNCH_TIMEOUT");

  /** The result of a driver call that a host function makes. */
  public static final Fault NOT_PERMITTED = new Fault(800, "CUDA_ERROR_NOT_PERMITTED");

  /** The result of a call that names a device that it cannot concern. */
  public static final Fault INVALID_DEVICE = new Fault(101, "CUDA_ERROR_INVALID_DEVICE");

  /** A failure for an unknown reason. */
  public static final Fault UNKNOWN = new Fault(999, "CUDA_ERROR_UNKNOWN");

  /**
   * Makes the call throw an {@link OutOfMemoryError} and do nothing, as if the JVM had no memory
   * for a binding's call. Recorded programs leave the call out.
   */
  public static final Fault JVM_OUT_OF_MEMORY = new Fault(-1, "java.lang.OutOfMemoryError");

  /**
   * The results after which every later call fails with the same result, by the documentation of
   * {@code CUresult}: uncorrectable ECC, illegal address, launch timeout, assert, hardware stack
   * error, illegal instruction, misaligned address, invalid address space, invalid program counter,
   * launch failure.
   */
  private static final Set<Integer> FATAL_CODES =
      Set.of(214, 700, 702, 710, 714, 715, 716, 717, 718, 719);

  /** Rejects the code 0, which means success. */
  public Fault {
    Objects.requireNonNull(name, "name");
    if (code == 0) {
      throw new InvalidArgumentException("0 is success; a fault needs another status");
    }
  }

  /** Returns the status of a call with this result. */
  public DriverStatus status(String call) {
    return new DriverStatus(code, name, Objects.requireNonNull(call, "call"));
  }

  /** Returns whether every later call of the process has the same result. */
  public boolean isFatal() {
    return FATAL_CODES.contains(code);
  }
}
