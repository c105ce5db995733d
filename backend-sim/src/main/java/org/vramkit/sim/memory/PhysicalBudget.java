package org.vramkit.sim.memory;

/**
 * Accounts for a device's memory: that of the driver itself, of this process and of others. When
 * memory runs out, the driver once gives up a part of its own.
 */
public final class PhysicalBudget {
  public final long total;
  private long own;
  private long spare;
  private long used;
  private long mostUsed;
  private long occupied;

  /**
   * Creates the memory of a device.
   *
   * @param own bytes that the driver takes for itself
   * @param spare bytes of these that it gives up before it refuses a request
   */
  public PhysicalBudget(long total, long own, long spare) {
    this.total = total;
    this.own = own;
    this.spare = spare;
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
    return total - own - used - occupied;
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

  /** Lets the driver take more for itself; returns false if too few bytes are free. */
  public boolean growOwn(long bytes) {
    if (bytes > getFree()) {
      return false;
    }
    own += bytes;
    return true;
  }

  /** Lets the driver give up what it took by {@link #growOwn}. */
  public void shrinkOwn(long bytes) {
    own -= bytes;
  }

  /** Lets the driver give up its spare bytes; it has none left afterwards. */
  public void giveUpSpare() {
    own -= spare;
    spare = 0;
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
