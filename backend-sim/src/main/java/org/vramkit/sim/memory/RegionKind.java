package org.vramkit.sim.memory;

/** How a range of addresses came about. */
public enum RegionKind {
  PLAIN("allocation"),
  POOL("stream-ordered allocation"),
  /** Reserved addresses, with memory behind them only where mapped. */
  RESERVED("reservation"),
  PINNED("pinned host buffer"),
  MANAGED("managed buffer");

  private final String words;

  RegionKind(String words) {
    this.words = words;
  }

  /** Returns whether the host and all devices reach it. */
  public boolean isShared() {
    return this == PINNED || this == MANAGED;
  }

  public String getWords() {
    return words;
  }
}
