package org.vramkit.examples.backend;

import static java.lang.System.Logger.Level.INFO;

import org.vramkit.api.device.Backend;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;
import org.vramkit.sim.SimBackend;

/**
 * Announces a simulator whose calls are counted and logged when it is closed: any program has it by
 * {@code -Dvramkit.backend=counting}. The file {@code
 * META-INF/services/org.vramkit.api.spi.BackendProvider} names this class.
 */
public final class CountingBackendProvider implements BackendProvider {
  /** For {@link java.util.ServiceLoader}; must touch nothing that may be missing. */
  public CountingBackendProvider() {}

  @Override
  public String getName() {
    return "counting";
  }

  /** Below the simulator itself: a user who wants it names it. */
  @Override
  public int getPriority() {
    return SIMULATOR_PRIORITY - 1;
  }

  /** One that needs a driver would look for it here, and say what is missing. */
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
