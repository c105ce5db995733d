package org.vramkit.sim.hazard;

/** What can be left behind. */
public enum LeakKind {
  /** Plain device memory. */
  ALLOCATION,
  /** A block that a pool handed out. */
  BLOCK,
  /** Device memory allocated in stream order. */
  POOL_ALLOCATION,
  /** A pool of the driver. */
  POOL,
  /** Reserved addresses. */
  RESERVATION,
  /** A mapping in a reservation. */
  MAPPING,
  /** Physical memory whose handle was not released. */
  PHYSICAL_MEMORY,
  /** Page-locked host memory. */
  PINNED_BUFFER,
  /** A stream. */
  STREAM,
  /** An event. */
  EVENT,
  /** A device that is still current on a thread. */
  CONTEXT;

  /** Whether it goes with its device when that is lost. */
  public boolean isDeviceMemory() {
    return switch (this) {
      case ALLOCATION, BLOCK, POOL_ALLOCATION, RESERVATION, MAPPING, PHYSICAL_MEMORY -> true;
      case POOL, PINNED_BUFFER, STREAM, EVENT, CONTEXT -> false;
    };
  }
}
