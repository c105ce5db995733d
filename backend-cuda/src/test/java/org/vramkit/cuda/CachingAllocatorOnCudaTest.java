package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.testkit.AllocatorKit;

@DisplayName("The caching allocator keeps its contract over what CUDA backends share")
class CachingAllocatorOnCudaTest extends AllocatorKit {
  // Lenient about threads: a CUDA device does not see how allocators order threads by their
  // locks, so the checker below it does not either.
  private final SimulatedDriver driver =
      new SimulatedDriver(
          SimBackend.builder()
              .checker(CheckerOptions.DEFAULT.withStrictness(Strictness.LENIENT))
              .build());

  @Override
  protected Backend openBackend() {
    return new CudaBackend("simulated-cuda", driver, new ProcessHealth());
  }

  @Override
  protected Allocator createAllocator(Device device) {
    return CachingAllocator.builder(device).build();
  }

  @Override
  protected void assertClean(Backend used) {
    assertEquals(List.of(), driver.sim.getHazards(), "hazards");
    assertEquals(List.of(), driver.sim.getLeaks(), "leaks");
    assertEquals(List.of(), driver.crimes, "uses of destroyed handles");
  }
}
