package org.vramkit.partition.plan;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * Scores as integers of the same ratios, so that shares of any number of units are exact: with
 * doubles, 2^62 + 12345 units and scores of 3:1:1 give floors that exceed the units.
 *
 * <p>Negative scores and such that are not numbers count as 0. If nothing is left, or a score is
 * infinite, all count the same (requirement S5.4).
 */
final class ExactShares {
  final BigInteger[] weights;

  ExactShares(double[] scores) {
    boolean even = Arrays.stream(scores).anyMatch(score -> score == Double.POSITIVE_INFINITY);
    even |= Arrays.stream(scores).noneMatch(score -> score > 0);
    BigDecimal[] exact = new BigDecimal[scores.length];
    int scale = 0;
    for (int i = 0; i < scores.length; i++) {
      double score = even ? 1 : scores[i] > 0 ? scores[i] : 0;
      exact[i] = new BigDecimal(score);
      scale = Math.max(scale, exact[i].scale());
    }
    weights = new BigInteger[scores.length];
    for (int i = 0; i < scores.length; i++) {
      weights[i] = exact[i].movePointRight(scale).toBigIntegerExact();
    }
  }

  /**
   * Whole units of the exact shares of those that are not full yet; who gets more than it may is
   * filled, and the rest shared by the others.
   *
   * @param left units to share; what the returned counts do not sum up to is left over
   */
  long[] floors(long left, long[] caps) {
    int devices = weights.length;
    long[] counts = new long[devices];
    boolean[] full = new boolean[devices];
    boolean filled = true;
    while (filled) {
      filled = false;
      BigInteger total = BigInteger.ZERO;
      for (int i = 0; i < devices; i++) {
        total = full[i] ? total : total.add(weights[i]);
      }
      if (total.signum() == 0) {
        return counts;
      }
      BigInteger units = BigInteger.valueOf(left);
      for (int i = 0; i < devices; i++) {
        if (!full[i]) {
          counts[i] = units.multiply(weights[i]).divide(total).longValueExact();
        }
      }
      for (int i = 0; i < devices; i++) {
        if (!full[i] && counts[i] >= caps[i]) {
          counts[i] = caps[i];
          left -= caps[i];
          full[i] = true;
          filled = true;
        }
      }
    }
    return counts;
  }
}
