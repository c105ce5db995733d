package org.vramkit.guice;

import org.vramkit.api.device.Backend;

/** Opens the backend of an injector; {@link GpuModule#over} takes one of yours. */
@FunctionalInterface
public interface BackendOpener {

  /**
   * Called once, when something of a device is first wanted.
   *
   * @throws org.vramkit.api.error.BackendNotAvailableException if there is none
   */
  Backend open();
}
