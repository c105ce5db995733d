package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.JUnitException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.schedule.Schedule;

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
        List.of("seed 1, random", "seed 2, random", "seed 3, random"),
        Outcome.of(Repeated.class).expect(3, 0).names());
  }

  static class Scheduled {
    @SimulatedTest(
        seeds = 2,
        schedules = {"lazy", "priorities:2"})
    void handsOver(SimBackend backend, SimDevice device, SimStream a, SimStream b) {
      Programs.handOver(device, a, b);
      assertNotEquals(Schedule.timed(), backend.getSchedule());
    }
  }

  @Test
  @DisplayName("with seeds and schedules, each seed runs under each schedule")
  void schedules() {
    assertEquals(
        List.of("seed 1, lazy", "seed 1, priorities:2", "seed 2, lazy", "seed 2, priorities:2"),
        Outcome.of(Scheduled.class).expect(4, 0).names());
  }

  @Test
  @DisplayName("runs what a parameter or a property pins: seed, schedule or both")
  void pinned() {
    assertEquals(
        List.of("seed 2, random"),
        Outcome.of(Repeated.class, Map.of("vramkit.seed", "2")).expect(1, 0).names());
    assertEquals(
        List.of("seed 1, reverse", "seed 2, reverse"),
        Outcome.of(Scheduled.class, Map.of("vramkit.schedule", "reverse")).expect(2, 0).names());
    assertEquals(
        List.of("seed 9, eager"),
        Outcome.of(Scheduled.class, Map.of("vramkit.seed", "9", "vramkit.schedule", "eager"))
            .expect(1, 0)
            .names());
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
    assertTrue(
        error.getMessage().contains("-Dvramkit.seed=42 -Dvramkit.schedule=random"),
        error.getMessage());
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
    assertTrue(String.valueOf(thrown.getMessage()).contains("'x'"), thrown.getMessage());
  }
}
