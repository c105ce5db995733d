package org.vramkit.pool.ending;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.pool.caching.ThreadKind;

@DisplayName("The close of an allocator or a pool, many times each,")
@Tag("stress")
class CloseRacesTest {
  /** The fewest races of a case, whatever they take; the profile stress runs many more. */
  private static final int ROUNDS = 25;

  /** All cases together take as long as two of the caching allocator's stresses. */
  private static final int CASES = 32;

  /** A race. */
  @FunctionalInterface
  interface Race {
    void run(CloseRaces races) throws Exception;
  }

  static Stream<Arguments> kinds() {
    return Arrays.stream(Kind.values())
        .flatMap(
            kind -> Arrays.stream(ThreadKind.values()).map(threads -> Arguments.of(kind, threads)));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("17.2 against allocations: they end before, or are refused, and none is lost")
  void againstTakes(Kind kind, ThreadKind threads) throws Exception {
    race(kind, threads, CloseRaces::againstTakes);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("17.2 against other closes: to each it is closed when it comes back")
  void againstCloses(Kind kind, ThreadKind threads) throws Exception {
    race(kind, threads, CloseRaces::againstCloses);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("17.3 against the close of a handle: its memory is returned nevertheless")
  void againstReturns(Kind kind, ThreadKind threads) throws Exception {
    race(kind, threads, CloseRaces::againstReturns);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("17.1 with interrupts pending: no thread hangs, and no interrupt is lost")
  void interrupted(Kind kind, ThreadKind threads) throws Exception {
    race(kind, threads, CloseRaces::interrupted);
  }

  private static void race(Kind kind, ThreadKind threads, Race race) throws Exception {
    long seed = 17;
    long nanos = TimeUnit.SECONDS.toNanos(Long.getLong("vramkit.stress.seconds", 1)) / CASES;
    long begin = System.nanoTime();
    try (CloseRaces races = new CloseRaces(kind, threads, seed)) {
      for (int round = 0; round < ROUNDS || System.nanoTime() - begin < nanos; round++) {
        try {
          race.run(races);
        } catch (Exception | AssertionError e) {
          throw new AssertionError(
              kind + " on " + threads + ", round " + round + ", seed " + seed, e);
        }
      }
    }
  }
}
