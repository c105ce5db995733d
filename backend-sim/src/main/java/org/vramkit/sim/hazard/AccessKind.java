package org.vramkit.sim.hazard;

/** The kind of an access to memory. */
public enum AccessKind {
  /** Reads memory. */
  READ("read"),
  /** Writes memory. */
  WRITE("write"),
  /** Reads and writes memory by atomic operations. */
  ATOMIC("atomic access"),
  /** Allocates memory. */
  ALLOCATE("allocation"),
  /** Frees memory. */
  FREE("free"),
  /** Unmaps memory from its addresses. */
  UNMAP("unmapping"),
  /** Records a use, or orders work. */
  RECORD("recorded use");

  private final String noun;

  AccessKind(String noun) {
    this.noun = noun;
  }

  /** Returns the noun that reports use. */
  public String getNoun() {
    return noun;
  }
}
