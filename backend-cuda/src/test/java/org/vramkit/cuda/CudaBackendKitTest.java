package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.device.Backend;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.testkit.BackendKit;

@DisplayName(
    "The common code of the CUDA backends keeps the contract of a backend, over a simulated"
        + " driver")
class CudaBackendKitTest extends BackendKit {
  private final SimulatedDriver driver =
      new SimulatedDriver(
          SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build());

  @Override
  protected Backend openBackend() {
    return new CudaBackend("simulated-cuda", driver, new ProcessHealth());
  }

  @Override
  protected void assertClean(Backend used) {
    assertEquals(List.of(), driver.sim.getHazards(), "hazards");
    assertEquals(List.of(), driver.sim.getLeaks(), "leaks");
    assertEquals(List.of(), driver.crimes, "uses of destroyed handles");
    assertEquals(-1, driver.currentOrdinal(), "the thread's device is as it was");
    used.close();
    assertEquals(0, driver.retained[0] + driver.retained[1], "users of primary contexts");
  }

  @Override
  protected void forgetMisuse(Backend misused) {
    driver.sim.clearHazards();
  }
}
