package org.vramkit.tools;

import org.vramkit.api.discovery.Backends;

/** Checks the backend that the property or the environment names, for commands that name none. */
final class ConfiguredBackend {
  private ConfiguredBackend() {}

  /**
   * Opens the configured backend and closes it again; does nothing if none is configured.
   *
   * @throws org.vramkit.api.error.BackendNotAvailableException if it cannot be used; the message
   *     says which setting named it
   */
  static void check() {
    if (Backends.getConfiguredName() != null) {
      Backends.open().close();
    }
  }
}
