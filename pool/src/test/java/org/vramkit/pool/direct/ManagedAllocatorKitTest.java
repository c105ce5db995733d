package org.vramkit.pool.direct;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.SimulatedAllocatorKit;

@DisplayName("42.28 ManagedAllocator keeps the contract of an allocator")
class ManagedAllocatorKitTest extends SimulatedAllocatorKit {

  @Override
  protected Allocator createAllocator(Device device) {
    return ManagedAllocator.builder(device).build();
  }

  // The memory of the host is beneath managed memory too: that of the device is no bound.

  @Override
  public void memoryIsFinite() {}

  @Override
  public void pendingBlocksAreWaitedFor() {}
}
