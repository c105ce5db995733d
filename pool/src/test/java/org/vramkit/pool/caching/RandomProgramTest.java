package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The caching allocator does what a simple model says, whatever the program")
class RandomProgramTest {
  private static final int SEEDS = 60;
  private static final int STEPS = 2_000;

  @ParameterizedTest(name = "with virtual memory {0}: 60 seeds of 2,000 steps")
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName("S4, 6, 9: no overlap, books add up after every step, contents intact, no hazard")
  void randomProgramsKeepTheModel(VirtualMemoryUse use) {
    long faults = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      RandomProgram program = new RandomProgram(seed, use);
      try {
        for (int step = 0; step < STEPS; step++) {
          program.step();
        }
        program.finish();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(
            "seed " + seed + ", step " + program.getStep() + ", memory " + use, e);
      }
      assertEquals(List.of(), program.getHazards(), "hazards, seed " + seed);
      assertEquals(List.of(), program.getLeaks(), "leaks, seed " + seed);
      faults += program.getFaults();
    }
    assertTrue(faults > SEEDS, "too few faults were injected to prove anything: " + faults);
  }
}
