package org.vramkit.cuda;

import java.util.function.Supplier;
import org.vramkit.api.device.Backend;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;
import org.vramkit.cuda.driver.CudaDriver;

/** The provider of a CUDA backend; a subclass selects the binding. */
public abstract class CudaBackendProvider implements BackendProvider {
  private final String name;
  private final int priority;
  private final Supplier<CudaDriver> loading;
  private final String natives;

  /**
   * Creates the provider without loading native code; called by subclasses.
   *
   * @param name the name that selects the backend
   * @param priority the priority; among available backends the highest wins
   * @param loading returns the binding, or throws the reason why it cannot be loaded
   * @param natives the artifact with the binding's native libraries, for the message
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
