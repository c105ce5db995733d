package org.vramkit.sim.memory;

/** How much of a device's memory is taken, by this process and by others. */
public final class PhysicalBudget {
  public final long total;
  private long used;
  private long occupied;

  public PhysicalBudget(long total) {
    this.total = total;
  }

  /** Taken by others. */
  public long getOccupied() {
    return occupied;
  }

  /** Taken by nobody. */
  public long getFree() {
    return total - used - occupied;
  }

  /** Takes bytes for this process, if there are so many. */
  public boolean reserve(long bytes) {
    if (bytes > getFree()) {
      return false;
    }
    used += bytes;
    return true;
  }

  public void release(long bytes) {
    used -= bytes;
  }

  /** Takes bytes for another process, if there are so many. */
  public boolean occupy(long bytes) {
    if (bytes > getFree()) {
      return false;
    }
    occupied += bytes;
    return true;
  }

  /** The other process gives bytes back, at most what it has. */
  public void vacate(long bytes) {
    occupied -= Math.min(bytes, occupied);
  }
}
