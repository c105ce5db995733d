package org.vramkit.sim.hazard;

/** How the checker treats reads of bytes that were never written since their allocation. */
public enum UnwrittenReadPolicy {
  /** Ignores them, for replays of traces without writes. */
  IGNORE,
  /**
   * Reports the first kernel or copy to the host that reads them; copies between devices pass them
   * on. The default.
   */
  REPORT_AT_USE,
  /** Also reports copies, so that the report names the place where the bytes spread. */
  REPORT_AT_COPY
}
