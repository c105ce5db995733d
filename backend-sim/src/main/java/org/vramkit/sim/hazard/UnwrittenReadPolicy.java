package org.vramkit.sim.hazard;

/** What the checker does about reads of bytes that nobody has written since their allocation. */
public enum UnwrittenReadPolicy {
  /** Nothing: for replays of traces that do not tell what is written. */
  IGNORE,
  /**
   * Copies within devices hand unwritten bytes on; the first kernel or copy to the host that reads
   * them is reported. The default.
   */
  REPORT_AT_USE,
  /** A copy is reported as well, so that the report names the place where the bytes spread. */
  REPORT_AT_COPY
}
