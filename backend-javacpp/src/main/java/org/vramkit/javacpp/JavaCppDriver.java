package org.vramkit.javacpp;

import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.Loader;
import org.vramkit.cuda.driver.BindingLoad;
import org.vramkit.cuda.driver.BindingVersion;
import org.vramkit.cuda.driver.BoundDriver;
import org.vramkit.cuda.driver.CudaDriver;

/**
 * The driver through the presets, which bind all functions. A function is linked by its first call,
 * and a call of a function that the driver lacks terminates the JVM. So callers must first check
 * the driver's version.
 */
final class JavaCppDriver {
  private JavaCppDriver() {}

  /** Loads the binding on first use. */
  private static final class Loading {
    static final BindingLoad OUTCOME = BindingLoad.attempt(() -> Loader.load(cudart.class));
  }

  /**
   * Returns the calls.
   *
   * @throws LinkageError if loading failed; the first failure, which may also be a {@link
   *     RuntimeException}
   */
  static CudaDriver load() {
    Loading.OUTCOME.require();
    JavaCppPools pools = new JavaCppPools();
    return new BoundDriver(
        "JavaCPP presets for CUDA " + BindingVersion.of(cudart.class, "org.bytedeco", "cuda"),
        new JavaCppDevices(),
        new JavaCppContexts(),
        new JavaCppStreams(),
        new JavaCppEvents(),
        new JavaCppMemory(),
        new JavaCppCopies(),
        pools,
        pools,
        new JavaCppVirtualMemory(),
        new JavaCppGraphs(),
        new JavaCppKernels(),
        new JavaCppHostPages());
  }
}
