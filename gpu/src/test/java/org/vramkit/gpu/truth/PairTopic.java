package org.vramkit.gpu.truth;

/** Probes of two devices. */
@FunctionalInterface
interface PairTopic {
  /** Makes the probes, with the lab of each device. */
  void run(Lab first, Lab second);
}
