package org.vramkit.partition.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("S5: dividing units by scores")
class PartitionerTest {
  private static final List<Partitioner> ALL =
      List.of(Partitioner.FASTEST_FINISH, Partitioner.LARGEST_REMAINDER);

  private static long[] divide(Partitioner way, long units, double... scores) {
    long[] caps = new long[scores.length];
    Arrays.fill(caps, Long.MAX_VALUE);
    return way.divide(units, scores, caps);
  }

  private static long sum(long[] counts) {
    return Arrays.stream(counts).reduce(0, Math::addExact);
  }

  @Test
  @DisplayName("S5.4 largest remainders go first, ties to the better device")
  void largestRemainder() {
    assertArrayEquals(new long[] {33, 33, 33}, divide(Partitioner.LARGEST_REMAINDER, 99, 1, 1, 1));
    assertArrayEquals(new long[] {34, 33, 33}, divide(Partitioner.LARGEST_REMAINDER, 100, 1, 1, 1));
    assertArrayEquals(new long[] {4, 4, 2}, divide(Partitioner.LARGEST_REMAINDER, 10, 6, 6, 2));
  }

  @Test
  @DisplayName("S5.4 every width is within one unit of the exact share")
  void withinOneUnit() {
    SplittableRandom random = new SplittableRandom(54);
    for (int i = 0; i < 2000; i++) {
      double[] scores = random.doubles(1 + random.nextInt(8), 0.1, 10).toArray();
      long units = random.nextLong(1_000_000);
      long[] counts = divide(Partitioner.LARGEST_REMAINDER, units, scores);
      double total = Arrays.stream(scores).sum();
      for (int d = 0; d < scores.length; d++) {
        double exact = units * scores[d] / total;
        assertTrue(Math.abs(counts[d] - exact) < 1 + 1e-6, "seed 54, case " + i);
      }
      assertEquals(units, sum(counts));
    }
  }

  @Test
  @DisplayName("1 no units, 2 no devices, 3 one device")
  void edges() {
    for (Partitioner way : ALL) {
      assertArrayEquals(new long[] {0, 0}, divide(way, 0, 3, 1));
      assertArrayEquals(new long[0], divide(way, 7));
      assertArrayEquals(new long[] {7}, divide(way, 7, 0.3));
    }
  }

  @Test
  @DisplayName("4 more devices than units: the fastest get one each")
  void moreDevicesThanUnits() {
    for (Partitioner way : ALL) {
      assertArrayEquals(
          new long[] {1, 1, 1, 0, 0, 0, 0, 0}, divide(way, 3, 8, 7, 6, 5, 4, 3, 2, 1));
    }
  }

  @Test
  @DisplayName("5 all scores 0 share evenly, a single 0 gets nothing")
  void zeroScores() {
    for (Partitioner way : ALL) {
      assertArrayEquals(new long[] {4, 3, 3}, divide(way, 10, 0, 0, 0));
      assertArrayEquals(new long[] {5, 0, 5}, divide(way, 10, 2, 0, 2));
    }
  }

  @Test
  @DisplayName(
      "6 scores that are no number, negative or -0.0 count as 0; infinite ones share evenly")
  void strangeScores() {
    for (Partitioner way : ALL) {
      assertArrayEquals(new long[] {10, 0, 0, 0}, divide(way, 10, 1, Double.NaN, -5, -0.0));
      double infinite = Double.POSITIVE_INFINITY;
      assertArrayEquals(new long[] {4, 3, 3}, divide(way, 10, infinite, infinite, 1));
      assertArrayEquals(new long[] {5, 5}, divide(way, 10, Double.MIN_VALUE, Double.MIN_VALUE));
    }
  }

  @Test
  @DisplayName("7 scores of 1e-300 and 1e300 together lose no unit")
  void extremeScores() {
    for (Partitioner way : ALL) {
      assertArrayEquals(new long[] {1000, 0}, divide(way, 1000, 1e300, 1e-300));
      assertArrayEquals(new long[] {667, 0, 333}, divide(way, 1000, 2e300, 1e-300, 1e300));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 31, (1L << 53) + 1, (1L << 62) + 12345, Long.MAX_VALUE})
  @DisplayName("8 any number of units up to 2^63 - 1 is divided exactly")
  void hugeCounts(long units) {
    long[] scores = {3, 1, 1};
    long[] nearest = divide(Partitioner.LARGEST_REMAINDER, units, 3, 1, 1);
    long[] fastest = divide(Partitioner.FASTEST_FINISH, units, 3, 1, 1);
    assertEquals(units, sum(nearest));
    assertEquals(units, sum(fastest));
    for (int i = 0; i < 3; i++) {
      BigInteger fifths = times(nearest[i], 5).subtract(times(units, scores[i]));
      assertTrue(fifths.abs().compareTo(BigInteger.valueOf(5)) < 0, Arrays.toString(nearest));
      for (int other = 0; other < 3; other++) {
        // No device finishes earlier if one of its units moves to another device.
        BigInteger now = times(fastest[i], scores[other]);
        BigInteger moved = times(fastest[other] + 1, scores[i]);
        assertTrue(now.compareTo(moved) <= 0, Arrays.toString(fastest));
      }
    }
  }

  private static BigInteger times(long one, long other) {
    return BigInteger.valueOf(one).multiply(BigInteger.valueOf(other));
  }

  @Test
  @DisplayName("10 equal scores differ by one unit at most, the earlier devices first")
  void equalScores() {
    for (Partitioner way : ALL) {
      assertArrayEquals(new long[] {3, 3, 3, 2}, divide(way, 11, 5, 5, 5, 5));
    }
  }

  @Test
  @DisplayName("11 one more unit takes none away from a device, where largest remainder does")
  void alabama() {
    assertArrayEquals(new long[] {5, 5, 1}, divide(Partitioner.LARGEST_REMAINDER, 11, 6, 6, 2));
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 300; i++) {
      double[] scores = random.doubles(1 + random.nextInt(5), 0.1, 10).toArray();
      long[] before = divide(Partitioner.FASTEST_FINISH, 0, scores);
      for (long units = 1; units < 40; units++) {
        long[] now = divide(Partitioner.FASTEST_FINISH, units, scores);
        for (int d = 0; d < scores.length; d++) {
          assertTrue(now[d] >= before[d], "seed 11, case " + i + ", units " + units);
        }
        before = now;
      }
    }
  }

  @Test
  @DisplayName("12, 13 the plan finishes as early as any, with caps as well: 3000 random scores")
  void optimal() {
    SplittableRandom random = new SplittableRandom(12);
    for (int i = 0; i < 3000; i++) {
      int devices = 1 + random.nextInt(4);
      double[] scores = random.doubles(devices, 0.05, 10).toArray();
      long[] caps = new long[devices];
      boolean capped = random.nextBoolean();
      for (int d = 0; d < devices; d++) {
        caps[d] = capped ? random.nextInt(15) : Long.MAX_VALUE;
      }
      int units = random.nextInt(15);
      long[] counts = Partitioner.FASTEST_FINISH.divide(units, scores, caps);
      long possible = capped ? Math.min(units, sum(caps)) : units;
      assertEquals(possible, sum(counts), "seed 12, case " + i);
      double best = best((int) possible, 0, 0, scores, caps);
      assertEquals(best, makespan(counts, scores), 1e-12, "seed 12, case " + i);
      for (int d = 0; d < devices; d++) {
        assertTrue(counts[d] <= caps[d], "seed 12, case " + i);
      }
    }
  }

  private static double makespan(long[] counts, double[] scores) {
    double latest = 0;
    for (int d = 0; d < counts.length; d++) {
      latest = Math.max(latest, counts[d] / scores[d]);
    }
    return latest;
  }

  /** Returns the earliest finish of any division, by trying all divisions. */
  private static double best(int left, int device, double latest, double[] scores, long[] caps) {
    if (device == scores.length) {
      return left == 0 ? latest : Double.POSITIVE_INFINITY;
    }
    double best = Double.POSITIVE_INFINITY;
    for (int count = 0; count <= Math.min(left, caps[device]); count++) {
      double finish = Math.max(latest, count / scores[device]);
      best = Math.min(best, best(left - count, device + 1, finish, scores, caps));
    }
    return best;
  }

  @Test
  @DisplayName("13 caps below the shares leave the rest to the others, and finally" + " unassigned")
  void caps() {
    for (Partitioner way : ALL) {
      assertArrayEquals(
          new long[] {10, 45, 45},
          way.divide(100, new double[] {8, 1, 1}, new long[] {10, 1000, 1000}));
      assertArrayEquals(new long[] {3, 4}, way.divide(100, new double[] {1, 1}, new long[] {3, 4}));
    }
  }

  @Test
  @DisplayName("Nonsense is refused")
  void nonsense() {
    for (Partitioner way : ALL) {
      assertThrows(InvalidArgumentException.class, () -> divide(way, -1, 1));
      assertThrows(
          InvalidArgumentException.class, () -> way.divide(1, new double[] {1}, new long[] {1, 2}));
      assertThrows(
          InvalidArgumentException.class, () -> way.divide(1, new double[] {1}, new long[] {-1}));
    }
  }
}
