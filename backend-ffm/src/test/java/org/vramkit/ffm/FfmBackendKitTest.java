package org.vramkit.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.device.Backend;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.SimulatedDriver;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.testkit.BackendKit;

@DisplayName("23.2 The backend keeps its contract through the native interface")
class FfmBackendKitTest extends BackendKit {
  private final SimBackend sim =
      SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build();
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

  @Override
  protected void forgetMisuse(Backend misused) {
    sim.clearHazards();
  }
}
