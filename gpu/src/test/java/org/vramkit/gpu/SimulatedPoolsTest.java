package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.device.Backend;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("Pools and scatters on simulated GPUs: the scenarios for real ones have no hazard")
class SimulatedPoolsTest extends PoolScenarios {

  @Override
  Backend open() {
    return SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.A100_80GB).build();
  }

  @Override
  void assertClean(Backend used) {
    assertEquals(List.of(), ((SimBackend) used).getHazards(), "hazards");
    assertEquals(List.of(), ((SimBackend) used).getLeaks(), "leaks");
  }
}
