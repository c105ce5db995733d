package org.vramkit.partition.device;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceProperties;

/**
 * Multiprocessors times their peak clock in GHz. A driver that does not tell one of them leaves the
 * memory's bandwidth, scaled so that an H200 has the same score either way; one that tells nothing
 * leaves the prior of 1, less than any known device.
 */
final class ThroughputScore implements ScoreFormula {
  private static final double KILOHERTZ_PER_GIGAHERTZ = 1e6;

  /** An H200: 132 multiprocessors at 1.98 GHz, 4917 GB/s. */
  private static final double SCORE_PER_BYTE_A_SECOND = 132 * 1.98 / 4.917e12;

  private static final double PRIOR = 1;

  @Override
  public double getScore(Device device) {
    DeviceProperties properties = device.getProperties();
    double compute =
        properties.multiprocessors() * (properties.clockKilohertz() / KILOHERTZ_PER_GIGAHERTZ);
    if (compute > 0) {
      return compute;
    }
    double memory = properties.getMemoryBandwidth() * SCORE_PER_BYTE_A_SECOND;
    return memory > 0 ? memory : PRIOR;
  }
}
