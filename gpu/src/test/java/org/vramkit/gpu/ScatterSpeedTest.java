package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("The step that times scatters on real GPUs")
class ScatterSpeedTest {

  @Test
  @DisplayName("runs through on simulated ones, without a hazard; its times mean nothing there")
  void rehearsal() {
    try (SimBackend backend =
        SimBackend.builder()
            .bytes(false)
            .device(DeviceProfile.H200)
            .device(DeviceProfile.H200)
            .build()) {
      try (ScatterWork work = new SimulatedWork();
          ScatterSpeed speed = new ScatterSpeed(backend, work, 1024)) {
        speed.run(4000, 300);
      }
      assertEquals(List.of(), backend.getLeaks());
    }
  }
}
