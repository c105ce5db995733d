package org.vramkit.tools;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.discovery.Backends;

/** The backend that the property or the environment names, for commands that name none. */
final class ConfiguredBackend {
  private ConfiguredBackend() {}

  /**
   * Its name, or null where none is named.
   *
   * @throws org.vramkit.api.error.BackendNotAvailableException if it cannot be used, with who named
   *     it
   */
  static @Nullable String check() {
    String name = Backends.getConfiguredName();
    if (name != null) {
      Backends.open().close();
    }
    return name;
  }
}
