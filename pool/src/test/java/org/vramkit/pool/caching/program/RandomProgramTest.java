package org.vramkit.pool.caching.program;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.pool.caching.VirtualMemoryUse;

@Tag("own-schedules")
@DisplayName("The caching allocator does what a simple model says, whatever the program")
class RandomProgramTest {
  private static final int SEEDS = 15 * Integer.getInteger("vramkit.effort", 1);
  private static final int STEPS = 800;

  @ParameterizedTest(name = "with virtual memory {0}, many seeds of 800 steps")
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName("S4, 6, 9: no overlap, books add up after every step, contents intact, no hazard")
  void randomProgramsKeepTheModel(VirtualMemoryUse use) {
    long faults = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      RandomProgram program = new RandomProgram(seed, use);
      try {
        program.run(STEPS);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(
            "seed " + seed + ", step " + program.getStep() + ", memory " + use, e);
      }
      faults += program.getFaults();
    }
    assertTrue(faults > SEEDS, "too few faults were injected to prove anything: " + faults);
  }

  @ParameterizedTest(name = "with virtual memory {0}: 5 seeds of 300 steps")
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName(
      "S4: blocks, indexes, chunks and the memory needed agree whenever a heap is unlocked")
  void eachUnlockLeavesAHeapThatAgrees(VirtualMemoryUse use) {
    for (long seed = 101; seed <= 105; seed++) {
      RandomProgram program = new RandomProgram(seed, use);
      program.watched = true;
      try {
        program.run(300);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(
            "seed " + seed + ", step " + program.getStep() + ", memory " + use, e);
      }
    }
  }
}
