package org.vramkit.sim.check;

import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * An earlier operation that another is not ordered after, whether it wrote, and the bytes that both
 * touch.
 */
record Conflict(Operation operation, boolean wrote, long start, long end) {
  /** Returns whether the host did the earlier one itself. */
  boolean isByHost() {
    return operation.isByHost();
  }

  /** Returns whether a thread of the program did the earlier one, and not a host function. */
  boolean isByThread() {
    return isByHost() && !operation.isByFunction();
  }

  /** What it is between two streams, as the later one touches the bytes. */
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
