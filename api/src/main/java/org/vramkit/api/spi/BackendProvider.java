package org.vramkit.api.spi;

import org.vramkit.api.device.Backend;

/**
 * Announces a backend to {@link java.util.ServiceLoader}. Constructing one, its name and its
 * priority must touch no native code: a class path may hold backends that cannot load here.
 *
 * <p>The jar names the class in {@code META-INF/services/org.vramkit.api.spi.BackendProvider}, a
 * named module in {@code provides}. {@code docs/backends.md} says how to write a backend.
 */
public interface BackendProvider {

  /** The priority of the simulator, below every real backend. */
  int SIMULATOR_PRIORITY = 0;

  /** A short name in lower case, unique on a class path, such as {@code javacpp}. */
  String getName();

  /** Among available backends the highest wins. */
  int getPriority();

  /**
   * Looks whether the backend can be used here. May load native code; answers instead of throwing,
   * and a {@link LinkageError} that escapes counts as not available.
   */
  Availability probe();

  /**
   * Opens the backend with its default configuration.
   *
   * @throws org.vramkit.api.error.BackendNotAvailableException if it cannot be used here
   */
  Backend open();
}
