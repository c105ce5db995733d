package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.vramkit.api.device.Backend;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.testkit.AllocatorKit;

/**
 * The contract of an allocator on two simulated GPUs; every test ends without a hazard or a leak.
 */
public abstract class SimulatedAllocatorKit extends AllocatorKit {

  @Override
  protected final Backend openBackend() {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .device(DeviceProfile.SMALL_8GIB)
        .build();
  }

  @Override
  protected void assertClean(Backend used) {
    assertEquals(List.of(), ((SimBackend) used).getHazards(), "hazards");
    assertEquals(List.of(), ((SimBackend) used).getLeaks(), "leaks");
  }

  @Override
  protected final void forgetMisuse(Backend misused) {
    ((SimBackend) misused).clearHazards();
  }
}
