package org.vramkit.javacpp;

import org.vramkit.api.device.Backend;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.CudaProbe;

/** Announces CUDA through JavaCPP, above JCuda: it has virtual memory. */
public final class JavaCppBackendProvider implements BackendProvider {
  /** The name by which it is chosen. */
  public static final String NAME = "javacpp";

  private static final int PRIORITY = 200;

  private static final String NATIVES =
      "org.bytedeco:cuda and org.bytedeco:javacpp with the classifier of the platform, such as"
          + " linux-x86_64";

  /** For {@link java.util.ServiceLoader}. */
  public JavaCppBackendProvider() {}

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
    return CudaProbe.probe(JavaCppDriver::load, NATIVES);
  }

  @Override
  public Backend open() {
    Availability availability = probe();
    if (!availability.available()) {
      throw new BackendNotAvailableException(NAME + " is not available: " + availability.reason());
    }
    return CudaBackend.open(NAME, JavaCppDriver.load());
  }
}
