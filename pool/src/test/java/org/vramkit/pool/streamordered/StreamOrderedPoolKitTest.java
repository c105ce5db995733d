package org.vramkit.pool.streamordered;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.SimulatedAllocatorKit;

@DisplayName("StreamOrderedPool keeps the contract of an allocator")
class StreamOrderedPoolKitTest extends SimulatedAllocatorKit {

  @Override
  protected Allocator createAllocator(Device device) {
    return StreamOrderedPool.builder(device).build();
  }
}
