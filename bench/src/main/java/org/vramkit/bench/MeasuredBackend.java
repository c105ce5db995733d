package org.vramkit.bench;

import org.vramkit.api.device.Backend;
import org.vramkit.api.discovery.Backends;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;

/** Opens the backend of a benchmark. */
public final class MeasuredBackend {
  private MeasuredBackend() {}

  /**
   * Opens a backend.
   *
   * @param name name of a backend on the class path; {@code sim} opens {@link #simulated}
   * @throws org.vramkit.api.error.BackendNotAvailableException if the backend cannot be used
   */
  public static Backend open(String name) {
    return name.equals(SimBackend.NAME) ? simulated() : Backends.open(name);
  }

  /**
   * Opens a simulated H200 that stores no bytes and checks nothing, because both take time that
   * would distort the figures.
   */
  public static SimBackend simulated() {
    return SimBackend.builder()
        .device(DeviceProfile.H200)
        .bytes(false)
        .checker(CheckerOptions.OFF)
        .build();
  }
}
