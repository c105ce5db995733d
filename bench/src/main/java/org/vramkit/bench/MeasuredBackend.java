package org.vramkit.bench;

import org.vramkit.api.device.Backend;
import org.vramkit.api.discovery.Backends;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;

/** The backend that benchmarks run on. */
public final class MeasuredBackend {
  private MeasuredBackend() {}

  /**
   * Opens a backend.
   *
   * @param name {@code sim} for {@link #simulated}, or that of one on the class path
   * @throws org.vramkit.api.error.BackendNotAvailableException if it cannot be used
   */
  public static Backend open(String name) {
    return name.equals(SimBackend.NAME) ? simulated() : Backends.open(name);
  }

  /** A simulated H200 without bytes and checker, whose time would be measured too. */
  public static SimBackend simulated() {
    return SimBackend.builder()
        .device(DeviceProfile.H200)
        .bytes(false)
        .checker(CheckerOptions.OFF)
        .build();
  }
}
