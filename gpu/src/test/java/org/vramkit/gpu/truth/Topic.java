package org.vramkit.gpu.truth;

/** Probes of one kind. */
@FunctionalInterface
interface Topic {
  /** Makes the probes. */
  void run(Lab lab);
}
