package org.vramkit.sim.driver;

import java.util.Objects;
import java.util.Set;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * What a driver call answers instead of success.
 *
 * @param code the driver's number, a {@code CUresult}; not 0
 * @param name the driver's name of it
 */
public record Fault(int code, String name) {
  /** Too little memory; harmless otherwise. */
  public static final Fault OUT_OF_MEMORY =
      new Fault(DriverStatus.OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY");

  /** An illegal address: the process loses all its devices. */
  public static final Fault FATAL =
      new Fault(DriverStatus.ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS");

  /** What a watchdog answers when work does not end: the process loses all its devices. */
  public static final Fault TIMEOUT = new Fault(702, "CUDA_ERROR_LAUNCH_TIMEOUT");

  /** What a call answers that was made from within queued work. */
  public static final Fault NOT_PERMITTED = new Fault(800, "CUDA_ERROR_NOT_PERMITTED");

  /** A refusal that has no type of its own. */
  public static final Fault UNKNOWN = new Fault(999, "CUDA_ERROR_UNKNOWN");

  /**
   * No answer at all: the call throws an {@link OutOfMemoryError} and does nothing, as where the
   * JVM has no memory for what a binding needs to make it. A recorded program leaves it out.
   */
  public static final Fault JVM_OUT_OF_MEMORY = new Fault(-1, "java.lang.OutOfMemoryError");

  /**
   * The statuses after which the driver answers nothing else any more, by the CUDA driver's own
   * documentation of {@code CUresult}: uncorrectable ECC, illegal address, launch timeout, assert,
   * hardware stack error, illegal instruction, misaligned address, invalid address space, invalid
   * program counter, launch failure.
   */
  private static final Set<Integer> FATAL_CODES =
      Set.of(214, 700, 702, 710, 714, 715, 716, 717, 718, 719);

  /** Refuses success. */
  public Fault {
    Objects.requireNonNull(name, "name");
    if (code == 0) {
      throw new InvalidArgumentException("0 is success; a fault needs another status");
    }
  }

  /** The status of a call that answers it. */
  public DriverStatus status(String call) {
    return new DriverStatus(code, name, Objects.requireNonNull(call, "call"));
  }

  /** Returns whether every later call of the process answers the same. */
  public boolean isFatal() {
    return FATAL_CODES.contains(code);
  }
}
