package org.vramkit.partition.device;

import java.util.Objects;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * A device of a pool with its score.
 *
 * @param device the device
 * @param score the relative throughput; finite and not negative
 */
public record PooledDevice(Device device, double score) {
  /**
   * Checks the score.
   *
   * @throws InvalidArgumentException if the score is negative or not finite
   */
  public PooledDevice {
    Objects.requireNonNull(device, "device");
    if (!(score >= 0 && score < Double.POSITIVE_INFINITY)) {
      throw new InvalidArgumentException(
          "the score of device "
              + device.getOrdinal()
              + " ("
              + device.getProperties().name()
              + ") is "
              + score
              + "; it must be finite and not negative");
    }
  }

  /** Returns the device's ordinal. */
  public int getOrdinal() {
    return device.getOrdinal();
  }
}
