package org.vramkit.sim.hazard;

/** How the checker treats reads of bytes that were never written since their allocation. */
public enum UnwrittenReadPolicy {
  /** Ignores such reads, for replays of traces without writes. */
  IGNORE,
  /**
   * Reports the first kernel or copy to the host that reads such bytes. A copy on devices is not
   * reported, and its target counts as unwritten too. This is the default.
   */
  REPORT_AT_USE,
  /**
   * Also reports copies on devices, so that the report names the place where unwritten bytes
   * spread.
   */
  REPORT_AT_COPY
}
