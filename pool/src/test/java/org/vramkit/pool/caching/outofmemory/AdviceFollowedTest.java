package org.vramkit.pool.caching.outofmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.AdviceText;

@Tag("own-schedules")
@DisplayName("42.12 Out-of-memory advice that is followed to the letter")
class AdviceFollowedTest {
  private static final int EFFORT = Integer.getInteger("vramkit.effort", 1);
  private static final int CASES = 500 * EFFORT;
  private static final int PROGRAMS = 40 * EFFORT;
  private static final long MIB = 1L << 20;
  private static final String RAISE = "raise the limit by ";
  private static final String ASK = "ask for at most ";
  private static final String OTHERS = "free .* other users of the device hold ";
  private static final List<String> NUMBERS = List.of(RAISE, ASK, OTHERS);

  @Test
  @DisplayName("42.12 each alternative by itself makes the request succeed, in random cases")
  void everyAlternative() {
    Map<String, Integer> followed = new TreeMap<>();
    int cases = 0;
    for (long seed = Long.getLong("vramkit.seed", 0); cases < CASES; seed++) {
      cases += follow(seed, followed);
    }
    for (String kind :
        List.of(
            "end the captures and close their graphs",
            "trim private pool ",
            "let its SegmentSource provide more")) {
      assertTrue(followed.containsKey(kind), followed::toString);
    }
    assertTrue(followed.size() >= 8, followed::toString);
  }

  @Test
  @DisplayName("42.12 free chunks move, though the block could lie on a part of a long chunk")
  void longChunks() {
    assertEquals(2, follow(500806, new TreeMap<>()));
  }

  @Test
  @DisplayName("42.12 nothing that is freed serves a request above a limit that was lowered")
  void aboveLimit() {
    assertEquals(2, follow(101574, new TreeMap<>()));
  }

  @Test
  @DisplayName(
      "42.12 a raised limit or memory of others of 1 MiB less does not suffice, nor does 1 MiB more"
          + " fit, in random programs for each")
  void tight() {
    Map<String, Integer> advised = new TreeMap<>();
    List<String> loose = new ArrayList<>();
    for (long seed = Long.getLong("vramkit.seed", 0); least(advised) < PROGRAMS; seed++) {
      try (AdvisedProgram program = new AdvisedProgram(seed)) {
        for (String kind : NUMBERS) {
          long bytes = advised(program, kind);
          if (bytes > MIB && !program.isBesideCapture()) {
            advised.merge(kind, 1, Integer::sum);
            loose.addAll(looseness(seed, kind, bytes));
          }
        }
      }
    }
    assertEquals(List.of(), loose, () -> loose.size() + " of " + advised);
  }

  private static int least(Map<String, Integer> counts) {
    return NUMBERS.stream().mapToInt(each -> counts.getOrDefault(each, 0)).min().orElse(0);
  }

  /** Returns the program if a number that is 1 MiB stricter suffices too. */
  private static List<String> looseness(long seed, String kind, long bytes) {
    try (AdvisedProgram program = new AdvisedProgram(seed)) {
      boolean isServed =
          switch (kind) {
            case RAISE -> program.isServedWithLimit(bytes - MIB);
            case ASK -> program.isServed(Math.min(program.refusedBytes(), bytes + MIB));
            default -> program.isServedWithFreeOfOthers(bytes - MIB);
          };
      return isServed
          ? List.of(program + ", " + kind + bytes + ": " + program.refusal().getMessage())
          : List.of();
    }
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
