package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("57.5 An allocator whose memory two devices access")
class AccessibleMemoryTest {
  @Test
  @DisplayName("lets both access new memory by one call")
  void oneCall() {
    SimBackend two =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build();
    try (CudaBackend backend =
        new CudaBackend("cuda", new SimulatedDriver(two), new ProcessHealth())) {
      Device first = backend.getDevice(0);
      try (CachingAllocator allocator =
              CachingAllocator.builder(first).accessibleFrom(backend.getDevice(1)).build();
          DriverCallMeter calls = backend.measure()) {
        allocator.allocate(4096, first.getDefaultStream()).close();
        assertEquals(1, calls.getCounts().get("cuMemSetAccess"));
      }
    }
  }
}
