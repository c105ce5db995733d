package org.vramkit.pool.direct;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.SimulatedAllocatorKit;

@DisplayName("DirectAllocator keeps the contract of an allocator")
class DirectAllocatorKitTest extends SimulatedAllocatorKit {

  @Override
  protected Allocator createAllocator(Device device) {
    return DirectAllocator.builder(device).build();
  }
}
