package org.vramkit.guice;

import org.vramkit.api.device.Backend;

/** Opens the backend of an injector; pass your own to {@link GpuModule#over}. */
@FunctionalInterface
public interface BackendOpener {

  /**
   * Opens the backend. Called once, on first use.
   *
   * @throws org.vramkit.api.error.BackendNotAvailableException if no backend is available
   */
  Backend open();
}
