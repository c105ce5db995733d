package org.vramkit.sim.hazard;

/** Why a synchronisation that exists does not order two accesses. */
public enum Shortfall {
  /** It covers what came before the earlier access, and not that access. */
  TOO_EARLY,
  /** It covers the earlier access, and the later one does not wait for it. */
  NOT_WAITED_FOR,
  /** The event was recorded again between the record that covers the access and the wait. */
  RECORDED_AGAIN,
  /** The event had not been recorded when it was waited for. */
  NOT_RECORDED
}
