package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("The step that times suspensions and spilling on a real GPU")
class SuspendSpeedTest {

  @Test
  @DisplayName("runs through on a simulated one, without a hazard; its times mean nothing there")
  void rehearsal() {
    try (SimBackend backend =
        SimBackend.builder().bytes(false).device(DeviceProfile.H200).build()) {
      try (SuspendSpeed speed =
          new SuspendSpeed(
              backend.getDevice(0), 256 * ByteSize.MIB, 64 * ByteSize.MIB, 32 * ByteSize.MIB)) {
        speed.run();
      }
      assertEquals(List.of(), backend.getHazards());
      assertEquals(List.of(), backend.getLeaks());
    }
  }
}
