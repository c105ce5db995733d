package org.vramkit.tools;

import java.util.List;
import org.vramkit.api.discovery.BackendDescription;
import org.vramkit.api.discovery.Backends;
import org.vramkit.tools.replay.UsageException;

/** Checks the backend that {@code --backend}, the property or the environment names. */
final class ConfiguredBackend {
  private ConfiguredBackend() {}

  /**
   * Opens the configured backend and closes it again; does nothing if none is configured.
   *
   * @throws org.vramkit.api.error.BackendNotAvailableException if the backend cannot be used; the
   *     message names the setting
   */
  static void check() {
    if (Backends.getConfiguredName() != null) {
      Backends.open().close();
    }
  }

  /**
   * Checks the backend that the option {@code --backend} names.
   *
   * @throws UsageException if no backend has this name, or the backend cannot be used here; the
   *     message lists all backends
   */
  static void checkOption(String name) {
    List<BackendDescription> backends = Backends.list();
    String all = String.join(", ", backends.stream().map(ConfiguredBackend::describe).toList());
    BackendDescription found =
        backends.stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
    if (found == null) {
      throw new UsageException("--backend: no backend is named '" + name + "'; there are: " + all);
    }
    if (!found.available()) {
      throw new UsageException(
          "--backend: '"
              + name
              + "' cannot be used here: "
              + found.reason()
              + "; remedy that, or choose another of: "
              + all);
    }
  }

  private static String describe(BackendDescription backend) {
    return backend.name() + (backend.available() ? "" : " (not available)");
  }
}
