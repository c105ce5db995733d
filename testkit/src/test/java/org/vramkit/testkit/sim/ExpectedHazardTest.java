package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;

@DisplayName("A test may be about a hazard")
class ExpectedHazardTest {

  @SimulatedGpu
  static class Expecting {
    @Test
    @ExpectHazard(HazardCode.RACE_RAW)
    void races(SimDevice device, SimStream a, SimStream b) {
      Programs.race(device, a, b);
      Programs.race(device, a, b);
    }
  }

  @Test
  @DisplayName("It passes when the hazard is found, however often")
  void found() {
    Outcome.of(Expecting.class).expect(1, 0);
  }

  @SimulatedGpu
  static class ExpectingInVain {
    @Test
    @ExpectHazard(HazardCode.RACE_RAW)
    void handsOver(SimDevice device, SimStream a, SimStream b) {
      Programs.handOver(device, a, b);
    }
  }

  @Test
  @DisplayName("It fails when the hazard is not found")
  void notFound() {
    HazardError error = Outcome.of(ExpectingInVain.class).expect(0, 1).failure(HazardError.class);
    assertTrue(
        error.getMessage().startsWith("expected hazards [RACE_RAW], found none"),
        error.getMessage());
  }

  @SimulatedGpu
  static class ExpectingAnother {
    @Test
    @ExpectHazard(HazardCode.DOUBLE_FREE)
    void races(SimDevice device, SimStream a, SimStream b) {
      Programs.race(device, a, b);
    }
  }

  @Test
  @DisplayName("It fails on another hazard, with its report")
  void another() {
    HazardError error = Outcome.of(ExpectingAnother.class).expect(0, 1).failure(HazardError.class);
    assertTrue(error.getMessage().contains("found [RACE_RAW]"), error.getMessage());
    assertTrue(error.getMessage().contains("RACE_RAW: "), error.getMessage());
    assertEquals(1, error.getReports().size());
  }

  @SimulatedGpu
  static class Warned {
    @Test
    void waitsForNothing(SimDevice device, SimStream stream) {
      waitForUnrecorded(device, stream);
    }

    @Test
    @ExpectHazard(HazardCode.WAIT_ON_UNRECORDED_EVENT)
    void expectsTheWarning(SimDevice device, SimStream stream) {
      waitForUnrecorded(device, stream);
    }

    private static void waitForUnrecorded(SimDevice device, SimStream stream) {
      try (SimEvent event = device.createEvent()) {
        stream.waitFor(event);
      }
    }
  }

  @Test
  @DisplayName("A warning fails nothing; it is published, unless it was expected")
  void warning() {
    Outcome outcome = Outcome.of(Warned.class).expect(2, 0);
    assertEquals(1, outcome.tests().reportingEntryPublished().count());
  }
}
