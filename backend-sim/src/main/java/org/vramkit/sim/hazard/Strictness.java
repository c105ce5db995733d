package org.vramkit.sim.hazard;

/**
 * How much the checker takes for granted: least with {@link #PEDANTIC}, most with {@link #LENIENT}.
 *
 * <p>With {@link #STRICT} and {@link #LENIENT}, one clock stands for all host threads: if only
 * another thread has waited, there is no report, because the two may have synchronized by means of
 * Java.
 */
public enum Strictness {
  /**
   * Like {@link #STRICT}, and hand-offs between host threads must be declared: each thread knows
   * only what it waited for itself, or what was handed to it. A copy between devices without peer
   * access is reported, although the driver would stage it through the host.
   */
  PEDANTIC,
  /** The least that CUDA guarantees: a plain free waits for nothing. The default. */
  STRICT,
  /** Today's driver: like {@link #STRICT}, but a plain free waits for its device. */
  LENIENT
}
