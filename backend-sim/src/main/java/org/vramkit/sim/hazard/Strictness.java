package org.vramkit.sim.hazard;

/** How much the checker relies on what holds in fact but is promised by nobody. */
public enum Strictness {
  /**
   * As {@link #STRICT}, and hand-overs between threads of the host have to be told: each knows only
   * what it has waited for itself, or was handed over. Copies between devices need peer access,
   * without which the driver stages them.
   */
  PEDANTIC,
  /**
   * The least that CUDA promises: a plain free waits for nothing. One clock stands for all host
   * threads: what only another one has waited for is not judged, because the two may have
   * synchronised by means of Java. The default.
   */
  STRICT,
  /**
   * What today's driver does in fact: a plain free waits for its device. One clock stands for all
   * host threads, as if each handed everything over at once.
   */
  LENIENT
}
