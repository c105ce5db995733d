package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.Strictness;

@DisplayName("A test on simulated GPUs is judged by its hazards")
class HazardVerdictTest {

  @SimulatedGpu(seed = 7)
  static class Racy {
    @Test
    void races(SimDevice device, SimStream loading, SimStream training) {
      Programs.race(device, loading, training);
    }
  }

  @Test
  @DisplayName(
      "A race fails it with the report, the names of its streams, the line and what repeats it")
  void race() {
    HazardError error = Outcome.of(Racy.class).expect(0, 1).failure(HazardError.class);
    assertEquals(HazardCode.RACE_RAW, error.getReports().get(0).code());
    assertTrue(error.getMessage().startsWith("RACE_RAW: "), error.getMessage());
    assertTrue(
        error.getMessage().contains("Racy.races(HazardVerdictTest.java:"), error.getMessage());
    assertTrue(
        error.getMessage().contains("repeat with -Dvramkit.seed=7 -Dvramkit.schedule=timed"),
        error.getMessage());
    assertTrue(error.getMessage().contains("consume on stream training"), error.getMessage());
    assertEquals(Programs.class.getName(), error.getStackTrace()[0].getClassName());
  }

  @SimulatedGpu
  static class Correct {
    @Test
    void handsOver(SimDevice device, SimStream a, SimStream b) {
      Programs.handOver(device, a, b);
    }
  }

  @Test
  @DisplayName("A test with a wait passes")
  void correct() {
    Outcome.of(Correct.class).expect(1, 0);
  }

  @SimulatedGpu
  static class FreesUnderWork {
    @Test
    void frees(SimDevice device, SimStream stream) {
      Programs.freeUnderWork(device, stream);
    }
  }

  @Test
  @DisplayName("The wait at the end of the test is not reported as a late wait")
  void ownWait() {
    HazardError error = Outcome.of(FreesUnderWork.class).expect(0, 1).failure(HazardError.class);
    assertEquals(HazardCode.FREE_IN_FLIGHT, error.getReports().get(0).code());
    assertEquals(null, error.getReports().get(0).nearest(), error.getMessage());
  }

  @SimulatedGpu
  static class Cleared {
    @Test
    void forgets(SimBackend backend, SimStream a, SimStream b) {
      Programs.race(backend.getDevice(0), a, b);
      backend.clearHazards();
    }
  }

  @Test
  @DisplayName("Hazards that the test cleared do not count")
  void cleared() {
    Outcome.of(Cleared.class).expect(1, 0);
  }

  @SimulatedGpu
  static class FailingRacy {
    @Test
    void racesAndFails(SimDevice device, SimStream a, SimStream b) {
      Programs.race(device, a, b);
      fail("its own");
    }
  }

  @Test
  @DisplayName("A test's own failure comes first, hazards are suppressed by it")
  void ownFailure() {
    AssertionError error = Outcome.of(FailingRacy.class).expect(0, 1).failure(AssertionError.class);
    assertEquals("its own", error.getMessage());
    assertTrue(
        error.getSuppressed()[0] instanceof HazardError, () -> "" + error.getSuppressed()[0]);
  }

  @SimulatedGpu
  static class FreeingUnderWork {
    @Test
    void strictly(SimDevice device, SimStream stream) {
      Programs.freeUnderWork(device, stream);
    }

    @Test
    @SimulatedGpu(strictness = Strictness.LENIENT)
    void leniently(SimDevice device, SimStream stream) {
      Programs.freeUnderWork(device, stream);
    }
  }

  @Test
  @DisplayName("Only a strict one may not rely on a free that waits")
  void strictness() {
    HazardError error = Outcome.of(FreeingUnderWork.class).expect(1, 1).failure(HazardError.class);
    assertEquals(HazardCode.FREE_IN_FLIGHT, error.getReports().get(0).code());
  }
}
