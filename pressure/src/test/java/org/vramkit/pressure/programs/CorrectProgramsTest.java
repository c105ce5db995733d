package org.vramkit.pressure.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("own-schedules")
@DisplayName("43.13 Random programs over all pools of two devices")
class CorrectProgramsTest {
  private static final int PROGRAMS = 40 * Integer.getInteger("vramkit.effort", 1);
  private static final long FIRST = Long.getLong("vramkit.seed", 0);

  @Test
  @DisplayName("43.13 read what they wrote and give no report, if they order their accesses")
  void correct() {
    for (long seed = FIRST; seed < FIRST + PROGRAMS; seed++) {
      try (CorrectProgram program = new CorrectProgram(seed)) {
        program.run();
        assertEquals(List.of(), program.reports(), program::toString);
      }
    }
  }

  @Test
  @DisplayName("43.13 are mostly reported if their first wait between streams is missing")
  void wrong() {
    int waiting = 0;
    int reported = 0;
    for (long seed = FIRST; seed < FIRST + PROGRAMS; seed++) {
      try (CorrectProgram program = new CorrectProgram(seed, 0)) {
        boolean isRight = endsRight(program);
        boolean isReported = !program.reports().isEmpty();
        assertTrue(isRight || isReported, program::toString);
        waiting += program.waits() > 0 ? 1 : 0;
        reported += isReported ? 1 : 0;
      }
    }
    // A wait may be redundant, as between the default stream and a blocking one.
    assertTrue(reported > waiting / 2, reported + " of " + waiting);
  }

  private static boolean endsRight(CorrectProgram program) {
    try {
      program.run();
      return true;
    } catch (AssertionError e) {
      return false;
    }
  }
}
