package org.vramkit.sim.hazard;

/** The reasons why an existing synchronization does not order two accesses. */
public enum Shortfall {
  /** The synchronization covers work before the earlier access, but not that access. */
  TOO_EARLY,
  /** The synchronization covers the earlier access, but the later access does not wait for it. */
  NOT_WAITED_FOR,
  /** The event was recorded again between the record that covers the access and the wait. */
  RECORDED_AGAIN,
  /** The event had not been recorded at the wait. */
  NOT_RECORDED
}
