package org.vramkit.jcuda;

import org.vramkit.api.device.Backend;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.CudaProbe;

/** Announces CUDA through JCuda. */
public final class JCudaBackendProvider implements BackendProvider {
  /** The name by which it is chosen. */
  public static final String NAME = "jcuda";

  private static final int PRIORITY = 100;

  private static final String NATIVES =
      "org.jcuda:jcuda-natives with the classifier of the platform, such as linux-x86_64";

  /** For {@link java.util.ServiceLoader}. */
  public JCudaBackendProvider() {}

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public int getPriority() {
    return PRIORITY;
  }

  @Override
  public Availability probe() {
    return CudaProbe.probe(JCudaCalls::load, NATIVES);
  }

  @Override
  public Backend open() {
    Availability availability = probe();
    if (!availability.available()) {
      throw new BackendNotAvailableException(NAME + " is not available: " + availability.reason());
    }
    return CudaBackend.open(NAME, JCudaCalls.load());
  }
}
