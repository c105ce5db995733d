package org.vramkit.javacpp;

import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.Loader;
import org.vramkit.cuda.driver.BindingLoad;
import org.vramkit.cuda.driver.BindingVersion;
import org.vramkit.cuda.driver.BoundDriver;
import org.vramkit.cuda.driver.CudaDriver;

/**
 * The driver through the presets, which bind everything. Functions are bound to the driver when
 * they are first called, and one that the installed driver lacks ends the JVM: a caller must have
 * asked for the driver's version.
 */
final class JavaCppDriver {
  private JavaCppDriver() {}

  /** Loads when first asked for. */
  private static final class Loading {
    static final BindingLoad OUTCOME = BindingLoad.attempt(() -> Loader.load(cudart.class));
  }

  /**
   * The calls.
   *
   * @throws LinkageError the first that loading met, as is a {@link RuntimeException}
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
        new JavaCppGraphs());
  }
}
