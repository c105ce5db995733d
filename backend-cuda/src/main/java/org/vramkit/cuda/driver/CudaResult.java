package org.vramkit.cuda.driver;

import java.util.Set;

/** The results that Vramkit tells apart, with the numbers of {@code CUresult}. */
public final class CudaResult {
  /** The call succeeded. */
  public static final int SUCCESS = 0;

  /** An argument is out of range. */
  public static final int INVALID_VALUE = 1;

  /** Too little memory. */
  public static final int OUT_OF_MEMORY = 2;

  /** The process is ending, and the driver with it. */
  public static final int DEINITIALIZED = 4;

  /** No device is visible. */
  public static final int NO_DEVICE = 100;

  /** The handle is none of the driver's. */
  public static final int INVALID_HANDLE = 400;

  /** The work is still under way. */
  public static final int NOT_READY = 600;

  /** Peer access is on already. */
  public static final int PEER_ACCESS_ALREADY_ENABLED = 704;

  /** Peer access is off already. */
  public static final int PEER_ACCESS_NOT_ENABLED = 705;

  /** Some of the memory is page-locked already. */
  public static final int HOST_MEMORY_ALREADY_REGISTERED = 712;

  /** The device or the driver cannot do it. */
  public static final int NOT_SUPPORTED = 801;

  /**
   * After these every CUDA call of the process fails until it ends, on all its devices:
   * uncorrectable memory errors (214, 220) and contained ones (226), what a kernel did wrong (700
   * illegal address, 702 timeout, 710 assertion, 714 to 719 stack, instruction, alignment, address
   * space, program counter, launch, 721 tensor memory), a client whose MPS server ended it (810),
   * and an external device that failed (911). The driver API's description of {@code CUresult} asks
   * for a new process after each from 226 on but 710, which we treat alike.
   */
  private static final Set<Integer> FATAL =
      Set.of(214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911);

  private CudaResult() {}

  /** Returns whether the process's CUDA is lost by it. */
  public static boolean isFatal(int result) {
    return FATAL.contains(result);
  }
}
