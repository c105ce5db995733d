package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.LeakKind;

@DisplayName("A test with a fault plan is judged by all that the plan does not explain")
class PlannedFaultVerdictTest {

  private static void failFromNowOn(SimDevice device, String function, Fault fault) {
    device.getBackend().getFaults().inject(FaultPlan.NONE.fail(CallSelector.of(function), fault));
  }

  @SimulatedGpu
  static class RacyBeforeRefusedCloses {
    @Test
    void races(SimDevice device, SimStream a, SimStream b) {
      Programs.race(device, a, b);
      failFromNowOn(device, "cuStreamDestroy", Fault.NOT_PERMITTED);
    }
  }

  @Test
  @DisplayName("Its hazards fail it although its streams cannot be closed, which is reported")
  void hazards() {
    try (LoggedNotices log = new LoggedNotices()) {
      HazardError error =
          Outcome.of(RacyBeforeRefusedCloses.class).expect(0, 1).failure(HazardError.class);
      assertEquals(HazardCode.RACE_RAW, error.getReports().get(0).code());
      List<String> lines = log.of(RacyBeforeRefusedCloses.class);
      assertEquals(2, lines.size(), lines::toString);
      assertTrue(
          lines.get(0).contains("the close of stream b of device 0 was refused"), lines.get(0));
      assertTrue(
          lines.get(1).contains("the close of stream a of device 0 was refused"), lines.get(1));
    }
  }

  @SimulatedGpu
  static class LeakingBeforeRefusedCloses {
    @Test
    void leaks(SimDevice device, SimStream stream) {
      assertTrue(device.getMemory().allocate(Programs.BYTES) != 0);
      failFromNowOn(device, "cuStreamDestroy", Fault.NOT_PERMITTED);
    }
  }

  @Test
  @DisplayName("Its leaks fail it, but for the stream that the plan kept from closing")
  void leaks() {
    LeakError error =
        Outcome.of(LeakingBeforeRefusedCloses.class).expect(0, 1).failure(LeakError.class);
    assertEquals(1, error.getLeaks().size(), error.getMessage());
    assertEquals(LeakKind.ALLOCATION, error.getLeaks().get(0).kind());
  }

  @SimulatedGpu
  static class CorrectBeforeRefusedCloses {
    @Test
    void passes(SimDevice device, SimStream stream) {
      failFromNowOn(device, "cuStreamDestroy", Fault.NOT_PERMITTED);
    }
  }

  @Test
  @DisplayName("A test without a fault passes")
  void passes() {
    Outcome.of(CorrectBeforeRefusedCloses.class).expect(1, 0);
  }

  @SimulatedGpu
  static class RacyBeforeFatalError {
    @Test
    void races(SimDevice device, SimStream a, SimStream b) {
      Programs.race(device, a, b);
      long kept = device.getMemory().allocate(Programs.BYTES);
      failFromNowOn(device, "cuMemFree", Fault.FATAL);
      assertThrows(FatalDeviceException.class, () -> device.getMemory().free(kept));
    }
  }

  @Test
  @DisplayName("After a fatal error the hazards before it fail it, memory of the lost device not")
  void fatal() {
    HazardError error =
        Outcome.of(RacyBeforeFatalError.class).expect(0, 1).failure(HazardError.class);
    assertEquals(HazardCode.RACE_RAW, error.getReports().get(0).code());
    assertEquals(0, error.getSuppressed().length, () -> error.getSuppressed()[0].toString());
  }
}
