package org.vramkit.pool.caching;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.SimulatedAllocatorKit;

@DisplayName("CachingAllocator over segments keeps the contract of an allocator")
class CachingAllocatorOnSegmentsKitTest extends SimulatedAllocatorKit {

  @Override
  protected Allocator createAllocator(Device device) {
    return CachingAllocator.builder(device).virtualMemory(VirtualMemoryUse.OFF).build();
  }
}
