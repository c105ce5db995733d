package org.vramkit.cuda;

import java.util.function.Supplier;
import org.vramkit.api.device.Backend;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;
import org.vramkit.cuda.driver.CudaDriver;

/** Announces CUDA through one binding; a subclass says which. */
public abstract class CudaBackendProvider implements BackendProvider {
  private final String name;
  private final int priority;
  private final Supplier<CudaDriver> loading;
  private final String natives;

  /**
   * For subclasses; touches no native code.
   *
   * @param name the name by which it is chosen
   * @param priority among available backends the highest wins
   * @param loading gives the binding's calls, or throws what kept it from loading
   * @param natives the artifact that brings the binding's native libraries, for the reason
   */
  protected CudaBackendProvider(
      String name, int priority, Supplier<CudaDriver> loading, String natives) {
    this.name = name;
    this.priority = priority;
    this.loading = loading;
    this.natives = natives;
  }

  @Override
  public final String getName() {
    return name;
  }

  @Override
  public final int getPriority() {
    return priority;
  }

  @Override
  public final Availability probe() {
    return CudaProbe.probe(loading, natives);
  }

  @Override
  public final Backend open() {
    Availability availability = probe();
    if (!availability.available()) {
      throw new BackendNotAvailableException(name + " is not available: " + availability.reason());
    }
    return CudaBackend.open(name, loading.get());
  }
}
