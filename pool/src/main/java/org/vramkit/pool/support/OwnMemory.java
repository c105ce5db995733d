package org.vramkit.pool.support;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.MemoryObserver;

/**
 * A device's plain memory, for a pool: when memory goes back is the pool's own matter, so a backend
 * that checks order judges it by what the pool has waited for.
 */
public final class OwnMemory implements DeviceMemory {
  private final DeviceMemory memory;
  private final MemoryObserver observer;

  /** A device's memory. */
  public OwnMemory(Device device) {
    this.memory = device.getMemory();
    this.observer = device.getMemoryObserver();
  }

  @Override
  public long allocate(long bytes) {
    return memory.allocate(bytes);
  }

  @Override
  public void free(long address) {
    OwnCalls.make(observer, () -> memory.free(address));
  }
}
