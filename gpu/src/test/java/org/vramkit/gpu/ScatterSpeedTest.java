package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("The step that times scatters on real GPUs")
class ScatterSpeedTest {

  @Test
  @DisplayName("runs through on simulated ones, without a hazard; its times mean nothing there")
  void rehearsal() {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build()) {
      try (ScatterSpeed speed = new ScatterSpeed(backend, 4 * ByteSize.KIB, 64, 2)) {
        speed.run(64, 16);
      }
      assertEquals(List.of(), backend.getHazards());
      assertEquals(List.of(), backend.getLeaks());
    }
  }
}
