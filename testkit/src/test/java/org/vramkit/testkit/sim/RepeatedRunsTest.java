package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.JUnitException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("A test repeated over seeds")
class RepeatedRunsTest {

  static class Repeated {
    @SimulatedTest(seeds = 3)
    void handsOver(SimBackend backend, SimDevice device, SimStream a, SimStream b) {
      Programs.handOver(device, a, b);
      assertTrue(backend.getSeed() >= 1 && backend.getSeed() <= 3);
    }
  }

  @Test
  @DisplayName("runs once for each, under its name")
  void repeats() {
    assertEquals(
        List.of("seed 1", "seed 2", "seed 3"), Outcome.of(Repeated.class).expect(3, 0).names());
  }

  @Test
  @DisplayName("runs once where a parameter or a property pins the seed")
  void pinned() {
    Outcome outcome = Outcome.of(Repeated.class, Map.of("vramkit.seed", "2"));
    assertEquals(List.of("seed 2"), outcome.expect(1, 0).names());
  }

  @SimulatedGpu(seed = 40)
  static class FailingWithOneSeed {
    @SimulatedTest(seeds = 4)
    void racesWithOne(SimBackend backend, SimStream a, SimStream b) {
      if (backend.getSeed() == 42) {
        Programs.race(backend.getDevice(0), a, b);
      }
    }
  }

  @Test
  @DisplayName("starts at the annotated seed, and its error names the seed that failed")
  void oneOfThem() {
    HazardError error =
        Outcome.of(FailingWithOneSeed.class).expect(3, 1).failure(HazardError.class);
    assertTrue(error.getMessage().contains("-Dvramkit.seed=42"), error.getMessage());
  }

  @Test
  @DisplayName("cannot be pinned to what is not a seed")
  void notASeed() {
    Throwable thrown =
        Outcome.of(Repeated.class, Map.of("vramkit.seed", "x"))
            .results()
            .containerEvents()
            .failed()
            .stream()
            .map(Outcome::throwable)
            .findFirst()
            .orElseThrow();
    assertTrue(thrown instanceof JUnitException);
    assertTrue(String.valueOf(thrown.getMessage()).contains("got 'x'"), thrown.getMessage());
  }
}
