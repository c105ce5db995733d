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
  /** A stream. */
  STREAM("stream"),
  /** An event. */
  EVENT("event"),
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

  /** Whether it goes with its device when that is lost. */
  public boolean isDeviceMemory() {
    return switch (this) {
      case ALLOCATION, BLOCK, POOL_ALLOCATION, RESERVATION, MAPPING, PHYSICAL_MEMORY -> true;
      case POOL, PINNED_BUFFER, STREAM, EVENT, CONTEXT -> false;
    };
  }
}
