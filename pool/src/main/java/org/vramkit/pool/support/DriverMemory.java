package org.vramkit.pool.support;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.MemoryObserver;

/**
 * A device's plain or managed memory, for a pool. A backend that checks order requires that the
 * pool itself has waited for the work before it frees memory. A capturing thread may allocate and
 * free, because this memory is not part of the capture.
 */
public final class DriverMemory implements DeviceMemory {
  private final DeviceMemory memory;
  private final MemoryObserver observer;
  private final CapturedStreams captured;

  public DriverMemory(Device device) {
    this(device, device.getMemory());
  }

  /** Wraps memory of another kind. */
  public DriverMemory(Device device, DeviceMemory memory) {
    this.memory = memory;
    this.observer = device.getMemoryObserver();
    this.captured = new CapturedStreams(device);
  }

  @Override
  public long allocate(long bytes) {
    return captured.relaxed(() -> memory.allocate(bytes));
  }

  @Override
  public void free(long address) {
    captured.relax(() -> PoolDriverCalls.make(observer, () -> memory.free(address)));
  }
}
