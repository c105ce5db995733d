package org.vramkit.api.discovery;

import java.security.CodeSource;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;

/**
 * A provider with its name and priority.
 *
 * @param provider the provider
 * @param name its name
 * @param priority its priority
 */
record BackendCandidate(BackendProvider provider, String name, int priority) {

  boolean isSimulator() {
    return priority <= BackendProvider.SIMULATOR_PRIORITY;
  }

  /** Names the provider's class with its jar and its class loader. */
  String origin() {
    return originOf(provider.getClass());
  }

  /** Names a class with its jar and its class loader. */
  static String originOf(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    CodeSource source = type.getProtectionDomain().getCodeSource();
    return type.getName()
        + " of "
        + (source == null ? "an unknown place" : source.getLocation())
        + " (class loader "
        + (loader == null ? "bootstrap" : loader)
        + ")";
  }

  /** Probes the provider. Any exception that it throws counts as not available. */
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
