package org.vramkit.api.discovery;

import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;

/**
 * A provider that has told its name and priority.
 *
 * @param provider the provider
 * @param name its name
 * @param priority its priority
 */
record BackendCandidate(BackendProvider provider, String name, int priority) {

  boolean isSimulator() {
    return priority <= BackendProvider.SIMULATOR_PRIORITY;
  }

  /** Asks the provider; whatever it throws counts as not available. */
  BackendDescription probe() {
    Availability availability;
    try {
      availability = provider.probe();
    } catch (LinkageError | RuntimeException e) {
      availability = Availability.no(LoadErrors.describe(e));
    }
    return new BackendDescription(name, priority, availability.available(), availability.reason());
  }
}
