package org.vramkit.sim.hazard;

/** What can be left behind. */
public enum LeakKind {
  /** Plain device memory. */
  ALLOCATION("allocation"),
  /** A block that a pool handed out. */
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
  /** Captured work. */
  GRAPH("graph"),
  /** A device that is still current on a thread. */
  CONTEXT("current device of a thread");

  private final String words;

  LeakKind(String words) {
    this.words = words;
  }

  /** What people call it. */
  public String getWords() {
    return words;
  }

  /**
   * How many things may be held for its sake only: a pool's block is held by its user, the mapping
   * beneath it for the block, physical memory and addresses for the mapping. From 0, the user's.
   */
  int getDepth() {
    return switch (this) {
      case BLOCK -> 0;
      case MAPPING -> 2;
      case PHYSICAL_MEMORY, RESERVATION -> 3;
      default -> 1;
    };
  }

  /** Returns whether it goes with its device when that is lost. */
  public boolean isDeviceMemory() {
    return switch (this) {
      case ALLOCATION, BLOCK, POOL_ALLOCATION, RESERVATION, MAPPING, PHYSICAL_MEMORY -> true;
      case POOL, PINNED_BUFFER, MANAGED_BUFFER, STREAM, EVENT, GRAPH, CONTEXT -> false;
    };
  }
}
