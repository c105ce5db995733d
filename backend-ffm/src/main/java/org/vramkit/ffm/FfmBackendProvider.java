package org.vramkit.ffm;

import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.cuda.CudaBackendProvider;
import org.vramkit.cuda.driver.CudaDriver;

/**
 * The provider of CUDA through the JDK's foreign function interface. Its priority is the highest of
 * all bindings, because it needs no native libraries. This class is the only one of its module that
 * is compiled for JDK 17, so that older JVMs can load it and report the required version.
 */
public final class FfmBackendProvider extends CudaBackendProvider {
  /** The name that selects this backend. */
  public static final String NAME = "ffm";

  private static final int PRIORITY = 300;

  private static final int OLDEST_JDK = 22;

  /** Creates the provider; called by {@link java.util.ServiceLoader}. */
  public FfmBackendProvider() {
    super(NAME, PRIORITY, FfmBackendProvider::load, "the NVIDIA driver");
  }

  private static CudaDriver load() {
    int jdk = Runtime.version().feature();
    if (jdk < OLDEST_JDK) {
      throw new BackendNotAvailableException(
          "needs JDK " + OLDEST_JDK + " or newer, this is JDK " + jdk);
    }
    return FfmDriver.load();
  }
}
