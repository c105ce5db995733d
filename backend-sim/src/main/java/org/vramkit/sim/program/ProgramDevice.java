package org.vramkit.sim.program;

import java.util.Set;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceProperties;

/**
 * A device that a program runs on.
 *
 * @param properties name, memory, clocks
 * @param capabilities what it can do
 */
public record ProgramDevice(DeviceProperties properties, Set<Capability> capabilities) {
  /** Copies the set. */
  public ProgramDevice {
    capabilities = Set.copyOf(capabilities);
  }
}
