package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.testkit.AllocatorKit;

@DisplayName("CachingAllocator over virtual memory keeps the contract of an allocator")
class CachingAllocatorOnPagesKitTest extends AllocatorKit {

  @Override
  protected Backend openBackend() {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .device(DeviceProfile.SMALL_8GIB)
        .build();
  }

  @Override
  protected Allocator createAllocator(Device device) {
    return CachingAllocator.builder(device)
        .virtualMemory(VirtualMemoryUse.ON)
        .exactPeaks(true)
        .build();
  }

  @Override
  protected void assertClean(Backend used) {
    assertEquals(List.of(), ((SimBackend) used).getHazards(), "hazards");
    assertEquals(List.of(), ((SimBackend) used).getLeaks(), "leaks");
  }

  @Override
  protected void forgetMisuse(Backend misused) {
    ((SimBackend) misused).clearHazards();
  }
}
