package org.vramkit.sim.hazard;

/** How an operation touched memory. */
public enum AccessKind {
  /** Reads it. */
  READ("read"),
  /** Writes it. */
  WRITE("write"),
  /** Reads and writes it by atomic operations. */
  ATOMIC("atomic access"),
  /** Makes it somebody's. */
  ALLOCATE("allocation"),
  /** Gives it back. */
  FREE("free"),
  /** Takes the memory from behind its addresses. */
  UNMAP("unmapping"),
  /** Tells of a use, or orders work. */
  RECORD("recorded use");

  private final String noun;

  AccessKind(String noun) {
    this.noun = noun;
  }

  /** What people call it. */
  public String getNoun() {
    return noun;
  }
}
