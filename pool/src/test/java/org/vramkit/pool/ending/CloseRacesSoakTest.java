package org.vramkit.pool.ending;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs with the profile {@code soak} alone; CONTRIBUTING.md says how. */
@DisplayName("For as long as wanted, the close of an allocator or a pool")
@Tag("soak")
class CloseRacesSoakTest {
  private static final List<CloseRacesTest.Race> RACES =
      List.of(
          CloseRaces::againstTakes,
          CloseRaces::againstCloses,
          CloseRaces::againstReturns,
          CloseRaces::interrupted);

  @ParameterizedTest
  @MethodSource("org.vramkit.pool.ending.CloseRacesTest#kinds")
  @Timeout(value = 30, unit = TimeUnit.DAYS)
  @DisplayName("17.2 loses nothing to other threads, and nobody hangs")
  void soak(Kind kind, Threads threads) throws Exception {
    long all = Long.getLong("vramkit.soak.seconds", 1800);
    long seed = Long.getLong("vramkit.soak.seed", 1);
    long share = Duration.ofSeconds(all).toNanos() / CloseRacesTest.kinds().count();
    long begin = System.nanoTime();
    long round = 0;
    while (System.nanoTime() - begin < share) {
      try (CloseRaces races = new CloseRaces(kind, threads, seed + round)) {
        for (int i = 0; i < 1000; i++) {
          RACES.get((int) (round++ % RACES.size())).run(races);
        }
      } catch (Exception | AssertionError e) {
        throw new AssertionError(
            kind + " on " + threads + ", round " + round + ", seed " + seed, e);
      }
    }
    System.out.println(kind + " on " + threads + ", seed " + seed + ": " + round + " rounds");
  }
}
