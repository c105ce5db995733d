package org.vramkit.partition.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.partition.plan.RandomDivision.pick;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("S5: divisions of few units, compared with all possible divisions")
class ExhaustiveDivisionTest {
  private static final List<Partitioner> ALL =
      List.of(Partitioner.FASTEST_FINISH, Partitioner.LARGEST_REMAINDER);

  private static void forEach(long seed, BiConsumer<RandomDivision, String> check) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 4000; i++) {
      RandomDivision division = new RandomDivision(random);
      check.accept(division, "seed " + seed + ", case " + i + ": " + division);
    }
  }

  private static long[] divide(Partitioner way, RandomDivision division) {
    return way.divide(division.units, division.scores, division.caps);
  }

  @Test
  @DisplayName("17.13 a device with a score of 0 takes what the others have no room for")
  void scoreOfZeroTakesTheRest() {
    for (Partitioner way : ALL) {
      long[] caps = {10, Long.MAX_VALUE, 200};
      assertArrayEquals(new long[] {10, 790, 200}, way.divide(1000, new double[] {1, 0, 0}, caps));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {13, 1713})
  @DisplayName("17.13 all that there is room for is divided, on devices with a score if they can")
  void allWithRoomIsDivided(long seed) {
    forEach(
        seed,
        (division, what) -> {
          for (Partitioner way : ALL) {
            long[] counts = divide(way, division);
            assertEquals(division.getPlaced(), Arrays.stream(counts).sum(), what);
            assertEquals(
                division.amongWeightless().getUnits(),
                Arrays.stream(pick(counts, division.getWeightless())).sum(),
                what);
            for (int i = 0; i < counts.length; i++) {
              assertEquals(Math.min(counts[i], division.caps[i]), counts[i], what);
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {12, 1712})
  @DisplayName("12, 13, 17.13 nothing finishes earlier than the fastest finish, whatever the caps")
  void nothingFinishesEarlier(long seed) {
    forEach(
        seed,
        (division, what) -> {
          long[] counts = divide(Partitioner.FASTEST_FINISH, division);
          AllDivisions weighty = division.amongWeighty();
          double finish = weighty.finish(pick(counts, division.getWeighty()));
          assertEquals(weighty.earliestFinish(), finish, what);
          AllDivisions weightless = division.amongWeightless();
          double last = weightless.finish(pick(counts, division.getWeightless()));
          assertEquals(weightless.earliestFinish(), last, what);
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {54, 1754})
  @DisplayName(
      "S5.4, 17.13 no division is nearer to the shares under caps; ties go to the better device")
  void noneIsNearer(long seed) {
    forEach(
        seed,
        (division, what) -> {
          long[] counts = divide(Partitioner.LARGEST_REMAINDER, division);
          assertArrayEquals(
              division.amongWeighty().nearestToShares(), pick(counts, division.getWeighty()), what);
          assertArrayEquals(
              division.amongWeightless().nearestToShares(),
              pick(counts, division.getWeightless()),
              what);
        });
  }
}
