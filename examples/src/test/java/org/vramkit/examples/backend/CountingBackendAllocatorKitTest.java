package org.vramkit.examples.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.testkit.AllocatorKit;

@DisplayName("17.23 The caching allocator keeps its contract over a backend around another one")
class CountingBackendAllocatorKitTest extends AllocatorKit {
  private final SimBackend within =
      SimBackend.builder()
          .device(DeviceProfile.SMALL_8GIB)
          .device(DeviceProfile.SMALL_8GIB)
          .build();

  @Override
  protected Backend openBackend() {
    return CountingBackend.over(within, counts -> {});
  }

  @Override
  protected Allocator createAllocator(Device device) {
    return CachingAllocator.create(device);
  }

  @Override
  protected void assertClean(Backend used) {
    assertEquals(List.of(), within.getHazards(), "hazards");
    assertEquals(List.of(), within.getLeaks(), "leaks");
  }

  @Override
  protected void forgetMisuse(Backend misused) {
    within.clearHazards();
  }
}
