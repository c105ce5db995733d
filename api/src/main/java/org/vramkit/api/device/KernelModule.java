package org.vramkit.api.device;

/**
 * Code that was loaded onto a device: kernels, and variables in global and constant memory. Safe
 * for any thread.
 *
 * <p>Throws {@link org.vramkit.api.error.ClosedException} when used after close.
 */
public interface KernelModule extends AutoCloseable {

  /** Returns the device of this module. */
  Device getDevice();

  /** Returns the log of the driver's compiler, such as warnings; empty if it has none. */
  String getLog();

  /**
   * Returns a kernel. Repeated calls return the same object.
   *
   * @param name the name in the PTX; a C++ compiler mangles it unless the source declares {@code
   *     extern "C"}
   * @throws org.vramkit.api.error.InvalidArgumentException if the module has no such kernel; the
   *     message names those that it has, if they are known
   * @throws org.vramkit.api.error.NotSupportedException if the parameters of the kernel cannot be
   *     determined, because the module is binary and the driver older than CUDA 12.4, or the
   *     binding lacks {@code cuFuncGetParamInfo}
   */
  Kernel getKernel(String name);

  /**
   * Returns a variable in global or constant memory.
   *
   * @throws org.vramkit.api.error.InvalidArgumentException if the module has no such variable
   */
  ModuleGlobal getGlobal(String name);

  /** Returns whether the module was closed. */
  boolean isClosed();

  /**
   * Unloads the module. Work submitted before this call may still run its kernels; the driver waits
   * for them where it needs to. A module whose kernels were captured stays loaded until the device
   * has no open graph. Repeated calls have no effect.
   */
  @Override
  void close();
}
