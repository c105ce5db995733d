package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("42.12 Out-of-memory advice that is followed to the letter")
class AdviceFollowedTest {
  private static final int CASES = 10_000;

  @Test
  @DisplayName("42.12 each alternative by itself makes the request succeed, in 10,000 random cases")
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
  @DisplayName("42.12 what is free moves, though the block could lie on a part of a long chunk")
  void longChunks() {
    assertEquals(3, follow(500806, new TreeMap<>()));
  }

  /** Follows each alternative of a program's refusal; returns how many there are. */
  private static int follow(long seed, Map<String, Integer> followed) {
    VirtualMemoryUse memory = AdvisedProgram.memoryOf(seed);
    int alternatives;
    try (AdvisedProgram program = new AdvisedProgram(seed, memory)) {
      alternatives = program.isRefused() ? program.alternatives().size() : 0;
    }
    for (int which = 0; which < alternatives; which++) {
      try (AdvisedProgram program = new AdvisedProgram(seed, memory)) {
        program.follow(which);
        String kind = program.alternatives().get(which).replaceAll("[0-9].*", "");
        followed.merge(kind, 1, Integer::sum);
      }
    }
    return alternatives;
  }
}
