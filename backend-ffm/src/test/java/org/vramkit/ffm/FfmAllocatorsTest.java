package org.vramkit.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.SimulatedDriver;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.testkit.AllocatorKit;

@DisplayName("23.2 Allocators keep their contract through the native interface")
class FfmAllocatorsTest {

  /** Lenient about threads, because a CUDA device does not see how allocators order threads. */
  abstract static class Kit extends AllocatorKit {
    private final SimBackend sim =
        SimBackend.builder()
            .device(DeviceProfile.H200)
            .device(DeviceProfile.H200)
            .checker(CheckerOptions.DEFAULT.withStrictness(Strictness.LENIENT))
            .build();
    private final PlayedLibrary library = new PlayedLibrary(new SimulatedDriver(sim));

    @Override
    protected Backend openBackend() {
      return CudaBackend.open("ffm", FfmDriver.of(library, /* critical= */ false));
    }

    @Override
    protected void assertClean(Backend used) {
      assertEquals(List.of(), library.failures, "calls that no driver survives");
      assertEquals(List.of(), sim.getHazards(), "hazards");
      assertEquals(List.of(), sim.getLeaks(), "leaks");
    }
  }

  @Nested
  @DisplayName("CachingAllocator over virtual memory")
  class Caching extends Kit {
    @Override
    protected Allocator createAllocator(Device device) {
      return CachingAllocator.create(device);
    }
  }

  @Nested
  @DisplayName("CachingAllocator on segments")
  class Segments extends Kit {
    @Override
    protected Allocator createAllocator(Device device) {
      return CachingAllocator.builder(device).virtualMemory(VirtualMemoryUse.OFF).build();
    }
  }

  @Nested
  @DisplayName("DriverPoolAllocator")
  class DriverPools extends Kit {
    @Override
    protected Allocator createAllocator(Device device) {
      return DriverPoolAllocator.builder(device).build();
    }
  }

  @Nested
  @DisplayName("StreamOrderedPool")
  class StreamOrdered extends Kit {
    @Override
    protected Allocator createAllocator(Device device) {
      return StreamOrderedPool.builder(device).build();
    }
  }
}
