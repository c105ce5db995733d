package org.vramkit.jcuda;

import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.BindingLoad;
import org.vramkit.cuda.driver.BindingVersion;
import org.vramkit.cuda.driver.BoundDriver;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.HostPages;
import org.vramkit.cuda.driver.PoolAttributeCalls;
import org.vramkit.cuda.driver.VirtualMemoryCalls;

/**
 * The driver through JCuda. Virtual memory is absent because JCuda 12.6.0 passes wrong arguments to
 * {@code cuMemCreate} and {@code cuMemSetAccess}. JCuda does not bind pool attributes.
 */
final class JCudaCalls {
  private JCudaCalls() {}

  /** Loads the binding on first use. */
  private static final class Loading {
    // Any call loads the library; this one needs neither a device nor a context.
    static final BindingLoad OUTCOME =
        BindingLoad.attempt(() -> Results.of(() -> JCudaDriver.cuDriverGetVersion(new int[1])));
  }

  /**
   * Returns the calls.
   *
   * @throws LinkageError if loading failed; the first failure, which may also be a {@link
   *     RuntimeException}
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
        new JCudaGraphs(),
        new JCudaKernels(),
        HostPages.NONE);
  }
}
