package org.vramkit.pool.caching.suspend;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.sim.driver.Fault;

@DisplayName("A private pool that is suspended over and over")
@Tag("own-schedules")
class SuspendCyclesTest {
  private static final int CYCLES = 12;

  static Stream<String> schedules() {
    return Stream.of("timed", "eager", "lazy", "reverse", "random", "priorities:3", "starving");
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("45.4 has the same bytes after each resume, and keeps no memory meanwhile")
  void bytes(String schedule) {
    try (SuspendProgram program = new SuspendProgram(45, schedule)) {
      program.run(CYCLES);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @Tag("soak")
  @DisplayName("45.4 has the same bytes after each of 1,000 resumes")
  void manyCycles(String schedule) {
    try (SuspendProgram program =
        new SuspendProgram(Long.getLong("vramkit.soak.seed", 1), schedule)) {
      program.run(1000);
    }
  }

  @Test
  @DisplayName("45.4 loses nothing whichever driver call fails")
  void faults() {
    eachCall(1, 2, 5);
  }

  @Test
  @Tag("soak")
  @DisplayName("45.4 loses nothing whichever driver call fails, each in turn")
  void everyFault() {
    for (long seed = 1; seed <= 5; seed++) {
      eachCall(seed, 4, 1);
    }
  }

  /** Fails calls of suspensions and resumes, each in a program of its own. */
  private static void eachCall(long seed, int cycles, int step) {
    List<Long> calls;
    try (SuspendProgram program = new SuspendProgram(seed, "timed")) {
      calls = program.run(cycles).calls;
    }
    int failures = 0;
    for (int i = 0; i < calls.size(); i += step) {
      for (Fault fault : List.of(Fault.UNKNOWN, Fault.OUT_OF_MEMORY)) {
        try (SuspendProgram program = new SuspendProgram(seed, "timed")) {
          failures += program.failing(calls.get(i), fault).run(cycles).failures;
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError("seed " + seed + ", " + fault + " of call " + calls.get(i), e);
        }
      }
    }
    assertTrue(failures > calls.size() / step, failures + " failures of " + calls.size());
  }
}
