package org.vramkit.partition.plan;

import java.math.BigInteger;

/** A device's part of the units, while they are divided. */
final class Share {
  /** The device's score, as an integer in the same ratio to those of the others. */
  BigInteger weight;

  /** Whole units that it has. */
  long count;

  /** The fraction of the exact share above them; the same denominator for all with room. */
  BigInteger remainder = BigInteger.ZERO;

  private final long cap;

  Share(BigInteger weight, long cap) {
    this.weight = weight;
    this.cap = cap;
  }

  /** Sets the exact share, {@code units * weight / total}, or what the cap allows of it. */
  void set(long units, BigInteger total) {
    BigInteger[] exact = BigInteger.valueOf(units).multiply(weight).divideAndRemainder(total);
    count = Math.min(exact[0].longValueExact(), cap);
    remainder = exact[1];
  }

  boolean hasRoom() {
    return count < cap;
  }

  /** Rounds the exact share up. */
  void add() {
    count++;
    remainder = BigInteger.ZERO;
  }
}
