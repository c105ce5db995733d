package org.vramkit.api.device;

/**
 * A kernel of a {@link KernelModule}, launched by {@link Stream#launch}. Valid while its module is
 * open. Safe for any thread.
 *
 * <p>Throws {@link org.vramkit.api.error.ClosedException} when used after the close of its module.
 */
public interface Kernel {

  /** Returns the name of the kernel in its module. */
  String getName();

  /** Returns the module of the kernel. */
  KernelModule getModule();

  /** Returns the parameters of the kernel. */
  KernelSignature getSignature();

  /** Returns the attributes of the kernel, which never change. */
  KernelAttributes getAttributes();

  /** Returns the maximum dynamic shared memory of a launch in bytes. */
  int getMaxDynamicSharedBytes();

  /**
   * Sets the maximum dynamic shared memory of later launches. A kernel that uses more than 48 KiB
   * of shared memory must opt in by this call.
   *
   * @param bytes the maximum, at most {@link KernelLimits#sharedBytesPerBlockOptIn} minus the
   *     static shared memory of the kernel
   * @throws org.vramkit.api.error.InvalidArgumentException if the device allows less
   */
  void setMaxDynamicSharedBytes(int bytes);

  /**
   * Returns the number of blocks that can be resident on one multiprocessor at once; 0 if not even
   * one block fits.
   *
   * @param threadsPerBlock the threads of a block
   * @param dynamicSharedBytes the dynamic shared memory of a block
   */
  int getActiveBlocks(int threadsPerBlock, int dynamicSharedBytes);

  /**
   * Returns the number of threads of a block that keeps most threads resident.
   *
   * @param dynamicSharedBytes the dynamic shared memory of a block
   */
  int suggestBlockSize(int dynamicSharedBytes);

  /** Returns the suggestion for launches without dynamic shared memory. */
  default int suggestBlockSize() {
    return suggestBlockSize(0);
  }
}
