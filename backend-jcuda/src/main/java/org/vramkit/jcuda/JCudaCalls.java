package org.vramkit.jcuda;

import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.BindingLoad;
import org.vramkit.cuda.driver.BindingVersion;
import org.vramkit.cuda.driver.BoundDriver;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.PoolAttributeCalls;
import org.vramkit.cuda.driver.VirtualMemoryCalls;

/**
 * The driver through JCuda. Virtual memory counts as absent because JCuda 12.6.0 sends wrong
 * arguments to {@code cuMemCreate} and {@code cuMemSetAccess}; the attributes of pools are not
 * bound.
 */
final class JCudaCalls {
  private JCudaCalls() {}

  /** Loads when first asked for. */
  private static final class Loading {
    // Any call loads the library; this one needs neither a device nor a context.
    static final BindingLoad OUTCOME =
        BindingLoad.attempt(() -> Results.of(() -> JCudaDriver.cuDriverGetVersion(new int[1])));
  }

  /**
   * The calls.
   *
   * @throws LinkageError the first that loading met, as is a {@link RuntimeException}
   */
  static CudaDriver load() {
    Loading.OUTCOME.require();
    return new BoundDriver(
        "JCuda " + BindingVersion.of(JCudaDriver.class, "org.jcuda", "jcuda"),
        new JCudaDevices(),
        new JCudaContexts(),
        new JCudaStreams(),
        new JCudaEvents(),
        new JCudaMemory(),
        new JCudaCopies(),
        new JCudaPools(),
        PoolAttributeCalls.ABSENT,
        VirtualMemoryCalls.ABSENT,
        new JCudaGraphs());
  }
}
