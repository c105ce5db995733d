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
  PINNED("pinned host buffer");

  private final String words;

  RegionKind(String words) {
    this.words = words;
  }

  /** What people call it. */
  public String getWords() {
    return words;
  }
}
