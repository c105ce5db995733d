package org.vramkit.ffm;

import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.cuda.CudaBackendProvider;
import org.vramkit.cuda.driver.CudaDriver;

/**
 * Announces CUDA through the JDK's foreign-function interface, above the other bindings: it needs
 * no natives. Compiled for JDK 17, alone of this module's classes: so older JVMs can load it, and
 * it tells them what it needs.
 */
public final class FfmBackendProvider extends CudaBackendProvider {
  /** The name by which it is chosen. */
  public static final String NAME = "ffm";

  private static final int PRIORITY = 300;

  private static final int OLDEST_JDK = 22;

  /** For {@link java.util.ServiceLoader}. */
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
