package org.vramkit.pool.driverpool;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.SimulatedAllocatorKit;

@DisplayName("DriverPoolAllocator keeps the contract of an allocator")
class DriverPoolAllocatorKitTest extends SimulatedAllocatorKit {

  @Override
  protected Allocator createAllocator(Device device) {
    return DriverPoolAllocator.builder(device).build();
  }
}
