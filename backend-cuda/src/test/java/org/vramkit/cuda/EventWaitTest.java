package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Event;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("17.27 Waiting for an event")
class EventWaitTest {
  /** {@code CU_EVENT_BLOCKING_SYNC} and {@code CU_EVENT_DISABLE_TIMING}. */
  private static final int SLEEPS_WITHOUT_TIMING = 0x1 | 0x2;

  @Test
  @DisplayName("leaves the processor to others: the driver sleeps during the wait")
  void sleeps() {
    SimulatedDriver driver =
        new SimulatedDriver(SimBackend.builder().device(DeviceProfile.H200).build());
    try (CudaBackend backend = new CudaBackend("cuda", driver, new ProcessHealth());
        Event event = backend.getDevice(0).createEvent()) {
      event.synchronize();
    }
    assertEquals(List.of(SLEEPS_WITHOUT_TIMING), driver.eventFlags);
  }
}
