package org.vramkit.pool.caching.outofmemory;

import org.vramkit.sim.SimDevice;

/** Another process on the device: its memory can be freed by the byte. */
final class ForeignMemory implements AutoCloseable {
  private final SimDevice device;
  private long held;

  ForeignMemory(SimDevice device) {
    this.device = device;
  }

  /** Leaves some bytes of the device. */
  void takeAllBut(long bytes) {
    long taken = Math.max(0, device.getMemoryInfo().freeBytes() - bytes);
    held += device.occupy(taken) ? taken : 0;
  }

  /** Frees some bytes; false if the process holds less. */
  boolean free(long bytes) {
    if (bytes > held) {
      return false;
    }
    device.vacate(bytes);
    held -= bytes;
    return true;
  }

  @Override
  public void close() {
    device.vacate(held);
  }
}
