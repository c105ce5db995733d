package org.vramkit.sim.memory;

/** Accounts for a device's memory, used by this process and by others. */
public final class PhysicalBudget {
  public final long total;
  private long used;
  private long mostUsed;
  private long occupied;

  public PhysicalBudget(long total) {
    this.total = total;
  }

  /** Returns the bytes of other processes. */
  public long getOccupied() {
    return occupied;
  }

  /** Returns the most bytes that this process had at once. */
  public long getMostUsed() {
    return mostUsed;
  }

  /** Returns the free bytes. */
  public long getFree() {
    return total - used - occupied;
  }

  /** Reserves bytes for this process; returns false if too few are free. */
  public boolean reserve(long bytes) {
    if (bytes > getFree()) {
      return false;
    }
    used += bytes;
    mostUsed = Math.max(mostUsed, used);
    return true;
  }

  public void release(long bytes) {
    used -= bytes;
  }

  /** Reserves bytes for another process; returns false if too few are free. */
  public boolean occupy(long bytes) {
    if (bytes > getFree()) {
      return false;
    }
    occupied += bytes;
    return true;
  }

  /** Releases bytes of another process, at most what it has. */
  public void vacate(long bytes) {
    occupied -= Math.min(bytes, occupied);
  }
}
