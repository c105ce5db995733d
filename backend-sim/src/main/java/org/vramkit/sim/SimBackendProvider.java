package org.vramkit.sim;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.vramkit.api.device.Backend;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;

/**
 * Announces the simulator: one H200, real bytes. In a {@link SimScope} it comes before all others,
 * and what it opens is the simulator there.
 */
public final class SimBackendProvider implements BackendProvider {

  /** For {@link java.util.ServiceLoader}. */
  public SimBackendProvider() {}

  @Override
  public String getName() {
    return SimBackend.NAME;
  }

  @Override
  public int getPriority() {
    return SimScope.current() == null ? SIMULATOR_PRIORITY : Integer.MAX_VALUE;
  }

  @Override
  public Availability probe() {
    return Availability.yes("simulated in this process, no GPU involved");
  }

  @Override
  public Backend open() {
    SimScope scope = SimScope.current();
    SimBackend lent = scope == null ? null : scope.lend();
    return lent == null ? SimBackend.builder().telling(warning()).build() : lent;
  }

  private static HazardWarning warning() {
    Logger logger = System.getLogger(SimBackend.class.getName());
    return new HazardWarning(text -> logger.log(Level.WARNING, text));
  }
}
