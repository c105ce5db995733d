package org.vramkit.sim.hazard;

/** The kinds of leaks. */
public enum LeakKind {
  /** Plain device memory. */
  ALLOCATION("allocation"),
  /** A block that a pool allocated. */
  BLOCK("block of a pool"),
  /** Device memory allocated in stream order. */
  POOL_ALLOCATION("stream-ordered allocation"),
  /** A pool of the driver. */
  POOL("driver pool"),
  /** Reserved addresses. */
  RESERVATION("reservation"),
  /** A mapping in a reservation. */
  MAPPING("mapping"),
  /** Physical memory whose handle was not released. */
  PHYSICAL_MEMORY("physical memory"),
  /** Page-locked host memory. */
  PINNED_BUFFER("pinned host buffer"),
  /** Managed memory. */
  MANAGED_BUFFER("managed buffer"),
  /** A stream. */
  STREAM("stream"),
  /** An event. */
  EVENT("event"),
  /** A graph. */
  GRAPH("graph"),
  /** A module. */
  MODULE("module"),
  /** A device that is still current on a thread. */
  CONTEXT("current device of a thread");

  private final String words;

  LeakKind(String words) {
    this.words = words;
  }

  /** Returns the words that reports use. */
  public String getWords() {
    return words;
  }

  /**
   * Returns the rank of the kind; a leak keeps leaks of higher ranks open. A pool's block (0) needs
   * its mapping (2), which needs physical memory and reserved addresses (3).
   */
  int getDepth() {
    return switch (this) {
      case BLOCK -> 0;
      case MAPPING -> 2;
      case PHYSICAL_MEMORY, RESERVATION -> 3;
      default -> 1;
    };
  }

  /** Returns whether memory of this kind is lost together with its device. */
  public boolean isDeviceMemory() {
    return switch (this) {
      case ALLOCATION, BLOCK, POOL_ALLOCATION, RESERVATION, MAPPING, PHYSICAL_MEMORY -> true;
      case POOL, PINNED_BUFFER, MANAGED_BUFFER, STREAM, EVENT, GRAPH, MODULE, CONTEXT -> false;
    };
  }
}
