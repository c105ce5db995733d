package org.vramkit.sim.check;

import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * An earlier operation that is not ordered before a later one, whether it wrote, and the bytes that
 * both access.
 */
record Conflict(Operation operation, boolean wrote, long start, long end) {
  /** Returns whether the host did the earlier access. */
  boolean isByHost() {
    return operation.isByHost();
  }

  /**
   * Returns whether a thread of the program, rather than a host function, did the earlier access.
   */
  boolean isByThread() {
    return isByHost() && !operation.isByFunction();
  }

  /** Returns the kind of race with a later access. */
  public HazardCode race(AccessKind kind) {
    if (isByHost()) {
      return HazardCode.HOST_RACE;
    }
    if (!wrote) {
      return HazardCode.RACE_WAR;
    }
    return kind == AccessKind.READ ? HazardCode.RACE_RAW : HazardCode.RACE_WAW;
  }
}
