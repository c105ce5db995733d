package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.thread.SimulatorThread;

@DisplayName("20.7 Threads that are no thread of the program alone")
class SimulatorThreadsTest {
  @Test
  @DisplayName("a host function runs on a thread of the simulator, the program does not")
  void hostFunction() {
    List<Boolean> seen = new ArrayList<>();
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        SimStream stream = backend.getDevice(0).createStream()) {
      stream.callHost("look", () -> seen.add(SimulatorThread.isCaller()));
      stream.synchronize();
      assertEquals(List.of(), backend.getHazards());
    }
    assertEquals(List.of(true), seen);
    assertFalse(SimulatorThread.isCaller());
  }
}
