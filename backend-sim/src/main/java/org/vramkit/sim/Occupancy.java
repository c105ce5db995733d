package org.vramkit.sim;

import org.vramkit.api.device.KernelLimits;

/**
 * The limits of a compute capability, and how many blocks of a kernel they let a multiprocessor run
 * at once. Registers are not assigned, so they limit nothing.
 */
record Occupancy(KernelLimits limits) {
  private static final int WARP = 32;

  /** Shared memory that the system reserves in each block, from compute capability 8.0 on. */
  private static final int RESERVED_SHARED_BYTES = 1024;

  /** The unit in which a multiprocessor assigns shared memory. */
  private static final int SHARED_UNIT = 128;

  private static final int KIB = 1024;
  private static final int REGISTERS = 65_536;
  private static final int SHARED_WITHOUT_OPT_IN = 48 * KIB;

  /**
   * Returns the limits of a compute capability, from the CUDA C++ Programming Guide (13.0, table of
   * technical specifications). Capabilities that it does not list have those of the nearest older
   * one.
   */
  static Occupancy of(int major, int minor) {
    int capability = major * 10 + minor;
    if (capability >= 120) {
      return of(100, 1536, 24);
    }
    if (capability >= 90) {
      return of(228, 2048, 32);
    }
    if (capability >= 89) {
      return of(100, 1536, 24);
    }
    if (capability >= 86) {
      return capability == 87 ? of(164, 1536, 16) : of(100, 1536, 16);
    }
    if (capability >= 80) {
      return of(164, 2048, 32);
    }
    if (capability >= 75) {
      return of(64, 1024, 16);
    }
    return of(96, 2048, 32);
  }

  private static Occupancy of(int sharedKib, int threads, int blocks) {
    boolean reserves = sharedKib >= 100;
    int shared = sharedKib * KIB;
    return new Occupancy(
        new KernelLimits(
            1024,
            SHARED_WITHOUT_OPT_IN,
            reserves ? shared - RESERVED_SHARED_BYTES : shared,
            shared,
            REGISTERS,
            threads,
            blocks));
  }

  /** Returns the number of blocks that a multiprocessor runs at once; 0 if none fits. */
  int activeBlocks(int maxThreads, int threads, long sharedBytes) {
    if (threads > maxThreads || sharedBytes > limits.sharedBytesPerBlockOptIn()) {
      return 0;
    }
    int warps = (threads + WARP - 1) / WARP;
    int byThreads = limits.threadsPerMultiprocessor() / (warps * WARP);
    int reserved = limits.sharedBytesPerMultiprocessor() - limits.sharedBytesPerBlockOptIn();
    long ofBlock = (sharedBytes + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT + reserved;
    long byShared =
        ofBlock == 0 ? Integer.MAX_VALUE : limits.sharedBytesPerMultiprocessor() / ofBlock;
    return (int) Math.min(Math.min(limits.blocksPerMultiprocessor(), byThreads), byShared);
  }

  /** Returns the largest number of threads of a block that keeps most threads resident. */
  int suggestThreads(int maxThreads, long sharedBytes) {
    int best = 0;
    int suggested = WARP;
    for (int threads = maxThreads / WARP * WARP; threads >= WARP; threads -= WARP) {
      int resident = threads * activeBlocks(maxThreads, threads, sharedBytes);
      if (resident > best) {
        best = resident;
        suggested = threads;
      }
    }
    return suggested;
  }
}
