package org.vramkit.cuda.driver;

import java.util.Set;

/** The {@code CUresult} codes that Vramkit distinguishes. */
public final class CudaResult {
  /** The call succeeded. */
  public static final int SUCCESS = 0;

  /** An argument is out of range. */
  public static final int INVALID_VALUE = 1;

  /** Too little memory. */
  public static final int OUT_OF_MEMORY = 2;

  /** The process is ending, and the driver has shut down. */
  public static final int DEINITIALIZED = 4;

  /** No device is visible. */
  public static final int NO_DEVICE = 100;

  /** The handle is invalid. */
  public static final int INVALID_HANDLE = 400;

  /** The work is not complete. */
  public static final int NOT_READY = 600;

  /** Peer access is already enabled. */
  public static final int PEER_ACCESS_ALREADY_ENABLED = 704;

  /** Peer access is not enabled. */
  public static final int PEER_ACCESS_NOT_ENABLED = 705;

  /** Part of the memory is already page-locked. */
  public static final int HOST_MEMORY_ALREADY_REGISTERED = 712;

  /** The device or the driver does not support the call. */
  public static final int NOT_SUPPORTED = 801;

  /**
   * Fatal results, after which every CUDA call of the process fails on all devices. Memory errors:
   * 214 and 220 uncorrectable, 226 contained. Kernel errors: 700 illegal address, 702 timeout, 710
   * assertion, 714 stack, 715 instruction, 716 alignment, 717 address space, 718 program counter,
   * 719 launch, 721 tensor memory. Others: 810 termination by the MPS server, 911 failure of an
   * external device. The driver API's description of {@code CUresult} requires a new process for
   * each from 226 on except 710, which is treated alike.
   */
  private static final Set<Integer> FATAL =
      Set.of(214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911);

  private CudaResult() {}

  /** Returns whether CUDA is lost for the process after this result. */
  public static boolean isFatal(int result) {
    return FATAL.contains(result);
  }
}
