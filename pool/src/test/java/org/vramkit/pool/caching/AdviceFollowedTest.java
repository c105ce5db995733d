package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("own-schedules")
@DisplayName("42.12 Out-of-memory advice that is followed to the letter")
class AdviceFollowedTest {
  private static final int CASES = 3_000;
  private static final long PAGE = 2L << 20;

  @Test
  @DisplayName("42.12 each alternative by itself makes the request succeed, in 3,000 random cases")
  void everyAlternative() {
    Map<String, Integer> followed = new TreeMap<>();
    int cases = 0;
    for (long seed = Long.getLong("vramkit.seed", 0); cases < CASES; seed++) {
      cases += follow(seed, followed);
    }
    for (String kind :
        List.of(
            "end the captures and close their graphs",
            "close the graphs of private pool ",
            "let its SegmentSource provide more")) {
      assertTrue(followed.containsKey(kind), followed::toString);
    }
    assertTrue(followed.size() >= 12, followed::toString);
  }

  @Test
  @DisplayName("42.12 free chunks move, though the block could lie on a part of a long chunk")
  void longChunks() {
    assertEquals(3, follow(500806, new TreeMap<>()));
  }

  @Test
  @DisplayName(
      "42.12 a limit raised by a page less does not suffice, nor does a page more fit, in 19 of 20"
          + " random cases")
  void tight() {
    int advised = 0;
    List<String> loose = new ArrayList<>();
    for (long seed = Long.getLong("vramkit.seed", 0), last = seed + 500; seed < last; seed++) {
      long raise;
      long most;
      try (AdvisedProgram program = new AdvisedProgram(seed)) {
        raise = advised(program, "raise the limit by ");
        most = advised(program, "ask for at most ");
      }
      if (raise > PAGE) {
        advised++;
        try (AdvisedProgram program = new AdvisedProgram(seed)) {
          loose.addAll(program.isServed(raise - PAGE, 0) ? List.of(program + " raise") : List.of());
        }
      }
      if (most > 0) {
        advised++;
        try (AdvisedProgram program = new AdvisedProgram(seed)) {
          long more = Math.min(program.refusedBytes(), most + PAGE);
          boolean isLoose = program.isServed(0, program.refusedBytes() - more);
          loose.addAll(isLoose ? List.of(program + " ask") : List.of());
        }
      }
    }
    assertTrue(advised > 300, "only " + advised);
    assertTrue(20 * loose.size() <= advised, loose.size() + " of " + advised + ": " + loose);
  }

  private static long advised(AdvisedProgram program, String beginning) {
    return program.isRefused() ? AdviceText.sizeOf(program.alternatives(), beginning) : 0;
  }

  /** Follows each alternative of a program's refusal; returns how many there are. */
  private static int follow(long seed, Map<String, Integer> followed) {
    int alternatives;
    try (AdvisedProgram program = new AdvisedProgram(seed)) {
      alternatives = program.isRefused() ? program.alternatives().size() : 0;
    }
    for (int which = 0; which < alternatives; which++) {
      try (AdvisedProgram program = new AdvisedProgram(seed)) {
        program.follow(which);
        String kind = program.alternatives().get(which).replaceAll("[0-9].*", "");
        followed.merge(kind, 1, Integer::sum);
      }
    }
    return alternatives;
  }
}
