package org.vramkit.sim;

import org.vramkit.api.device.Backend;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;

/** Announces the simulator: one H200, real bytes. */
public final class SimBackendProvider implements BackendProvider {

  /** For {@link java.util.ServiceLoader}. */
  public SimBackendProvider() {}

  @Override
  public String getName() {
    return SimBackend.NAME;
  }

  @Override
  public int getPriority() {
    return SIMULATOR_PRIORITY;
  }

  @Override
  public Availability probe() {
    return Availability.yes("simulated in this process, no GPU involved");
  }

  @Override
  public Backend open() {
    return SimBackend.builder().build();
  }
}
