package org.vramkit.partition.plan;

import java.math.BigInteger;
import java.util.Arrays;
import org.vramkit.api.error.InvalidArgumentException;

/** What both ways of rounding share: whole units first, then those that are left, one at a time. */
abstract class Leftovers implements Partitioner {

  /** Whether a device is to get a unit rather than an earlier one; both have room for it. */
  abstract boolean goesBefore(Candidate device, Candidate earlier);

  /** A device that may get one more unit. */
  record Candidate(BigInteger weight, long count, BigInteger remainder) {}

  @Override
  public final long[] divide(long units, double[] scores, long[] caps) {
    check(units, scores, caps);
    ExactShares shares = new ExactShares(scores);
    long[] counts = shares.floors(units, caps);
    BigInteger total = BigInteger.ZERO;
    for (BigInteger weight : shares.weights) {
      total = total.add(weight);
    }
    BigInteger[] remainders = new BigInteger[scores.length];
    for (int i = 0; i < scores.length; i++) {
      remainders[i] =
          BigInteger.valueOf(units)
              .multiply(shares.weights[i])
              .subtract(BigInteger.valueOf(counts[i]).multiply(total));
    }
    long left = units - Arrays.stream(counts).sum();
    while (left > 0) {
      int best = -1;
      Candidate winner = null;
      for (int i = 0; i < scores.length; i++) {
        if (counts[i] < caps[i] && shares.weights[i].signum() > 0) {
          Candidate candidate = new Candidate(shares.weights[i], counts[i], remainders[i]);
          if (winner == null || goesBefore(candidate, winner)) {
            best = i;
            winner = candidate;
          }
        }
      }
      if (best < 0) {
        return counts;
      }
      counts[best]++;
      remainders[best] = remainders[best].subtract(total);
      left--;
    }
    return counts;
  }

  private static void check(long units, double[] scores, long[] caps) {
    if (units < 0) {
      throw new InvalidArgumentException("cannot divide " + units + " units: negative");
    }
    if (scores.length != caps.length) {
      throw new InvalidArgumentException(
          scores.length + " scores and " + caps.length + " caps: each device needs both");
    }
    for (long cap : caps) {
      if (cap < 0) {
        throw new InvalidArgumentException("a cap must not be negative: " + cap + " units");
      }
    }
  }
}
