package org.vramkit.sim.hazard;

/** Which unspecified behaviour of the driver and of Java a program may rely on. */
public enum Strictness {
  /**
   * Like {@link #STRICT}, and hand-offs between host threads must be declared: each thread knows
   * only what it waited for itself, or what was handed to it. Copies between devices need peer
   * access; without it the driver stages them.
   */
  PEDANTIC,
  /**
   * The least that CUDA guarantees: a plain free waits for nothing. One clock stands for all host
   * threads: if only another thread has waited, there is no report, because the two may have
   * synchronized by means of Java. The default.
   */
  STRICT,
  /**
   * Today's driver: a plain free waits for its device. One clock stands for all host threads, as if
   * each shared everything at once.
   */
  LENIENT
}
