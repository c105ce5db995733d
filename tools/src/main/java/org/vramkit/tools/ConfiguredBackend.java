package org.vramkit.tools;

import org.vramkit.api.discovery.Backends;

/** The backend that the property or the environment names, for commands that name none. */
final class ConfiguredBackend {
  private ConfiguredBackend() {}

  /**
   * Opens it and closes it again; nothing where none is named.
   *
   * @throws org.vramkit.api.error.BackendNotAvailableException if it cannot be used, with who named
   *     it
   */
  static void check() {
    if (Backends.getConfiguredName() != null) {
      Backends.open().close();
    }
  }
}
