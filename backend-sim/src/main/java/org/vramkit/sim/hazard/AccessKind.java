package org.vramkit.sim.hazard;

/** How an operation touched memory. */
public enum AccessKind {
  /** Reads it. */
  READ,
  /** Writes it. */
  WRITE,
  /** Makes it somebody's. */
  ALLOCATE,
  /** Gives it back. */
  FREE,
  /** Takes the memory from behind its addresses. */
  UNMAP,
  /** Tells of a use, or orders work. */
  RECORD
}
