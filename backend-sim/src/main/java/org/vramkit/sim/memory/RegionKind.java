package org.vramkit.sim.memory;

/** How a range of addresses came about. */
public enum RegionKind {
  /** Plain allocation. */
  PLAIN("allocation"),
  /** Allocation in stream order. */
  POOL("stream-ordered allocation"),
  /** Reserved addresses, with memory behind them only where mapped. */
  RESERVED("reservation"),
  /** Page-locked host memory. */
  PINNED("pinned host buffer"),
  /** Managed memory. */
  MANAGED("managed buffer");

  private final String words;

  RegionKind(String words) {
    this.words = words;
  }

  /** Whether the host and all devices reach it. */
  public boolean isShared() {
    return this == PINNED || this == MANAGED;
  }

  /** What people call it. */
  public String getWords() {
    return words;
  }
}
