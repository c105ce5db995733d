package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.HazardReport;

/**
 * A complete report.
 *
 * @param earlier the operation that the later one should come after; null if order is not at issue
 * @param later the later one; null if order is not at issue
 */
record Found(HazardReport report, @Nullable Operation earlier, @Nullable Operation later) {
  /** A gate that one of the two waits for and that is closed; null if there is none. */
  @Nullable GateOrder closedGate() {
    GateOrder gate = later == null ? null : later.closedGate();
    return gate == null && earlier != null ? earlier.closedGate() : gate;
  }

  /** Returns whether the opening of a gate has put the two in order. */
  boolean isGated() {
    return earlier != null
        && later != null
        && (later.isGatedAfter(earlier) || earlier.isGatedAfter(later));
  }
}
