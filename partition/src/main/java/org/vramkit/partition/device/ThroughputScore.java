package org.vramkit.partition.device;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceProperties;

/**
 * Multiplies the multiprocessors by their peak clock in GHz. If the driver does not report both,
 * the memory bandwidth is used, scaled so that an H200 has the same score either way. If that is
 * unknown too, the score is 1, less than that of any known device.
 */
final class ThroughputScore implements ScoreFormula {
  private static final double KILOHERTZ_PER_GIGAHERTZ = 1e6;

  /** Score of an H200 (132 multiprocessors at 1.98 GHz) by its memory bandwidth of 4814 GB/s. */
  private static final double SCORE_PER_BYTE_A_SECOND = 132 * 1.98 / 4.814e12;

  private static final double FALLBACK = 1;

  @Override
  public double getScore(Device device) {
    DeviceProperties properties = device.getProperties();
    double compute =
        properties.multiprocessors() * (properties.clockKilohertz() / KILOHERTZ_PER_GIGAHERTZ);
    if (compute > 0) {
      return compute;
    }
    double memory = properties.getMemoryBandwidth() * SCORE_PER_BYTE_A_SECOND;
    return memory > 0 ? memory : FALLBACK;
  }
}
