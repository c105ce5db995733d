package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.device.Backend;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("The simulator keeps the contract of a backend")
class SimBackendKitTest extends BackendKit {

  @Override
  protected Backend openBackend() {
    return SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build();
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
