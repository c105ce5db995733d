package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.sim.SimDevice;

/** What other programs hold of a device. */
final class ForeignMemory implements AutoCloseable {
  private final SimDevice device;
  private final List<Long> held = new ArrayList<>();

  ForeignMemory(SimDevice device) {
    this.device = device;
  }

  private long left() {
    return device.getMemoryInfo().freeBytes();
  }

  /** Leaves some bytes of the device, in a few pieces. */
  void takeAllBut(long bytes) {
    held.add(device.getMemory().allocate((left() - bytes) / 2 / Sandbox.MIB * Sandbox.MIB));
    while (left() > bytes + 2 * Sandbox.MIB) {
      held.add(device.getMemory().allocate(Math.max(Sandbox.MIB, (left() - bytes) / 4)));
    }
  }

  /** Frees at least some bytes, the newest first; false if others hold less. */
  boolean free(long bytes) {
    long wanted = left() + bytes;
    while (left() < wanted && !held.isEmpty()) {
      device.getMemory().free(held.remove(held.size() - 1));
    }
    return left() >= wanted;
  }

  @Override
  public void close() {
    held.forEach(device.getMemory()::free);
  }
}
