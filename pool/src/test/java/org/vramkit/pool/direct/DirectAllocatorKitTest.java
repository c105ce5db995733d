package org.vramkit.pool.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.testkit.AllocatorKit;

@DisplayName("DirectAllocator keeps the contract of an allocator")
class DirectAllocatorKitTest extends AllocatorKit {

  @Override
  protected Backend openBackend() {
    return SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build();
  }

  @Override
  protected Allocator createAllocator(Device device) {
    return DirectAllocator.builder(device).build();
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
