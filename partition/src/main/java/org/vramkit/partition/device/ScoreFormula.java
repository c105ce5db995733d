package org.vramkit.partition.device;

import org.vramkit.api.device.Device;

/**
 * Estimates the relative throughput of a device. Only ratios of scores matter. Replace the default
 * by measurements of your own work.
 */
@FunctionalInterface
public interface ScoreFormula {

  /** The default formula, which multiplies the number of multiprocessors by their clock. */
  ScoreFormula DEFAULT = new ThroughputScore();

  /**
   * Returns the score of a device.
   *
   * @return the score, finite and not negative; a device with score 0 gets no work
   */
  double getScore(Device device);
}
