package org.vramkit.pool.support;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.MemoryObserver;

/**
 * A device's plain or managed memory, for a pool: when memory goes back is the pool's own matter,
 * so a backend that checks order judges it by what the pool has waited for. A thread that captures
 * may take and give back, because such memory is no part of what is captured.
 */
public final class OwnMemory implements DeviceMemory {
  private final DeviceMemory memory;
  private final MemoryObserver observer;
  private final CapturedStreams captured;
  private final TakenAddresses taken = new TakenAddresses();

  /** Wraps a device's plain memory. */
  public OwnMemory(Device device) {
    this(device, device.getMemory());
  }

  /** Wraps memory of another kind of a device, which no work of a capture allocates either. */
  public OwnMemory(Device device, DeviceMemory memory) {
    this.memory = memory;
    this.observer = device.getMemoryObserver();
    this.captured = new CapturedStreams(device);
  }

  @Override
  public long allocate(long bytes) {
    return captured.relaxed(() -> taken.take(() -> memory.allocate(bytes)));
  }

  @Override
  public void free(long address) {
    captured.relax(() -> OwnCalls.make(observer, () -> taken.giveBack(address, memory::free)));
  }

  /** Gives all back that was taken, whatever its owner knows of it; no work uses any of it. */
  public void freeAll() {
    captured.relax(() -> OwnCalls.make(observer, () -> taken.giveBackAll(memory::free)));
  }
}
