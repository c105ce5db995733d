package org.vramkit.partition.device;

import org.vramkit.api.device.Device;

/**
 * How much a device can do in a given time, in a unit of its own: only ratios count. Replace it by
 * what your work measured.
 */
@FunctionalInterface
public interface ScoreFormula {

  /** Multiprocessors times clock, see {@link ThroughputScore}. */
  ScoreFormula DEFAULT = new ThroughputScore();

  /**
   * The score of a device.
   *
   * @return finite and not negative; 0 gives it no work
   */
  double getScore(Device device);
}
