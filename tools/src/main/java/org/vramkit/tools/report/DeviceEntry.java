package org.vramkit.tools.report;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DeviceProperties;

/**
 * A row of the list of devices.
 *
 * @param backend name of the backend
 * @param ordinal ordinal of the device in its backend
 * @param properties properties of the device
 * @param freeBytes free memory; null if the device does not report it
 * @param capabilities names of the device's capabilities
 * @param score relative speed by which scatters divide work
 */
public record DeviceEntry(
    String backend,
    int ordinal,
    DeviceProperties properties,
    @Nullable Long freeBytes,
    List<String> capabilities,
    double score) {

  /** Copies the list. */
  public DeviceEntry {
    capabilities = List.copyOf(capabilities);
  }
}
