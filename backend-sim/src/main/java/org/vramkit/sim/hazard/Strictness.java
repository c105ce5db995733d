package org.vramkit.sim.hazard;

/**
 * The guarantees on which the checker lets a program rely: fewest with {@link #PEDANTIC}, most with
 * {@link #LENIENT}.
 *
 * <p>With {@link #STRICT} and {@link #LENIENT}, a wait of one host thread counts for all host
 * threads, because the threads may have synchronized by means of Java.
 */
public enum Strictness {
  /**
   * Like {@link #STRICT}, but a wait counts only for the thread that waited and for threads to
   * which a declared {@linkplain org.vramkit.sim.HandOff hand-off} leads. A copy between devices
   * without peer access is reported, although the driver would stage it through the host.
   */
  PEDANTIC,
  /** The guarantees of CUDA. A plain free waits for nothing. This is the default. */
  STRICT,
  /**
   * The behaviour of today's driver. Like {@link #STRICT}, but a plain free waits for its device.
   */
  LENIENT
}
