package org.vramkit.partition.device;

import org.vramkit.api.device.Device;

/**
 * A device of a pool.
 *
 * @param device the device
 * @param score what it can do beside the others; finite and not negative
 */
public record PooledDevice(Device device, double score) {

  /** Its ordinal. */
  public int getOrdinal() {
    return device.getOrdinal();
  }
}
