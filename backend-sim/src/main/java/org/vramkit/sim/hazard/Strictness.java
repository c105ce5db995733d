package org.vramkit.sim.hazard;

/** How much the checker relies on what holds in fact but is promised by nobody. */
public enum Strictness {
  /**
   * The least that CUDA and Java promise. A plain free waits for nothing, and each host thread
   * knows only what it has waited for itself, or was handed over. The default.
   */
  STRICT,
  /**
   * What today's driver does in fact: a plain free waits for its device. One clock stands for all
   * host threads, as if each handed everything over at once.
   */
  LENIENT
}
