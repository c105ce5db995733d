package org.vramkit.sim.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.sim.replay.RandomProgram.Fault;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("The trace hash")
class TraceHashTest {
  private static final int SEEDS = 25 * Integer.getInteger("vramkit.effort", 1);

  /**
   * Computed on JDK 17 and on 25. A change of the cost model, of a schedule or of the hash itself
   * changes them; a change of the JDK must not.
   */
  private static final long PINNED_TIMED = 7533380011977078766L;

  private static final long PINNED_RANDOM = 601129952887114453L;

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  private static long hash(long seed, Schedule schedule) {
    Program program = RandomProgram.of(seed, Fault.NONE);
    return ProgramRunner.run(program.on(program.setup().withSchedule(schedule))).traceHash();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName(
      "is the same for two runs of one seed and schedule, and different for other programs")
  void repeats(Schedule schedule) {
    long[] hashes = LongStream.rangeClosed(1, SEEDS).map(seed -> hash(seed, schedule)).toArray();
    for (int i = 0; i < hashes.length; i++) {
      int seed = i + 1;
      assertEquals(hashes[i], hash(seed, schedule), () -> "seed " + seed + ", " + schedule);
    }
    assertEquals(hashes.length, LongStream.of(hashes).distinct().count());
  }

  @Test
  @DisplayName("differs when a call differs")
  void differs() {
    Program program = RandomProgram.of(1, Fault.NONE);
    Program shorter = program.with(program.steps().subList(0, program.steps().size() - 1));
    assertNotEquals(ProgramRunner.run(program).traceHash(), ProgramRunner.run(shorter).traceHash());
  }

  @Test
  @DisplayName("of a fixed program is the same on every JDK")
  void pinned() {
    assertEquals(PINNED_TIMED, hash(42, Schedule.timed()));
    assertEquals(PINNED_RANDOM, hash(42, Schedule.random()));
  }
}
