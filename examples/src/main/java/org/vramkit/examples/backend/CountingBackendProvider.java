package org.vramkit.examples.backend;

import static java.lang.System.Logger.Level.INFO;

import org.vramkit.api.device.Backend;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;
import org.vramkit.sim.SimBackend;

/**
 * Provides a simulator that counts its calls and logs the counts when it is closed. Select it by
 * {@code -Dvramkit.backend=counting}. The file {@code
 * META-INF/services/org.vramkit.api.spi.BackendProvider} names this class.
 */
public final class CountingBackendProvider implements BackendProvider {
  /** For {@link java.util.ServiceLoader}; must not load classes that may be missing. */
  public CountingBackendProvider() {}

  @Override
  public String getName() {
    return "counting";
  }

  /** Ranks below the simulator, so that it is only opened by name. */
  @Override
  public int getPriority() {
    return SIMULATOR_PRIORITY - 1;
  }

  /** Always available; a backend that needs a driver would look for it here. */
  @Override
  public Availability probe() {
    return Availability.yes("counts the calls of a simulator");
  }

  @Override
  public Backend open() {
    System.Logger log = System.getLogger(CountingBackend.class.getName());
    return CountingBackend.over(
        SimBackend.builder().build(), counts -> log.log(INFO, "calls: {0}", counts));
  }
}
