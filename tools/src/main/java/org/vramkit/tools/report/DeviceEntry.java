package org.vramkit.tools.report;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DeviceProperties;

/**
 * One device in the list of devices.
 *
 * @param backend name of its backend
 * @param ordinal its number there
 * @param properties what it is
 * @param freeBytes free memory now; null if the device did not tell
 * @param capabilities what it can do
 * @param score what it can do beside others, as work is divided by
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
