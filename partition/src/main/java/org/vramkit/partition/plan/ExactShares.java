package org.vramkit.partition.plan;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Computes shares in proportion to scores, exactly for any number of units. Double arithmetic is
 * not enough: for 2^62 + 12345 units and scores 3:1:1 the floors exceed the units. A device whose
 * share reaches its cap is full, and the others share the rest.
 *
 * <p>Negative scores and NaN count as 0. If a score is infinite, all devices have equal scores. If
 * only devices with a score of 0 have room, these have equal scores (requirement S5.4).
 */
final class ExactShares {
  private ExactShares() {}

  /**
   * Returns the whole units and the remainder of each device.
   *
   * @param units at most the sum of the caps
   */
  static List<Share> of(long units, double[] scores, long[] caps) {
    BigInteger[] weights = weights(scores);
    List<Share> shares =
        IntStream.range(0, scores.length).mapToObj(i -> new Share(weights[i], caps[i])).toList();
    List<Share> open = shares;
    long rest = units;
    boolean filled = true;
    while (filled) {
      share(rest, open);
      rest -= open.stream().filter(share -> !share.hasRoom()).mapToLong(share -> share.count).sum();
      int before = open.size();
      open = open.stream().filter(Share::hasRoom).toList();
      filled = open.size() < before;
    }
    return shares;
  }

  private static BigInteger[] weights(double[] scores) {
    boolean even = Arrays.stream(scores).anyMatch(score -> score == Double.POSITIVE_INFINITY);
    BigDecimal[] exact =
        Arrays.stream(scores)
            .mapToObj(score -> even ? BigDecimal.ONE : new BigDecimal(score > 0 ? score : 0))
            .toArray(BigDecimal[]::new);
    int scale = Arrays.stream(exact).mapToInt(BigDecimal::scale).max().orElse(0);
    return Arrays.stream(exact)
        .map(score -> score.movePointRight(scale).toBigIntegerExact())
        .toArray(BigInteger[]::new);
  }

  private static void share(long units, List<Share> open) {
    if (open.stream().allMatch(share -> share.weight.signum() == 0)) {
      open.forEach(share -> share.weight = BigInteger.ONE);
    }
    BigInteger total =
        open.stream().map(share -> share.weight).reduce(BigInteger.ZERO, BigInteger::add);
    open.forEach(share -> share.set(units, total));
  }
}
