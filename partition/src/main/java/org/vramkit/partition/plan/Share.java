package org.vramkit.partition.plan;

import java.math.BigInteger;

/** The units of one device during a division. */
final class Share {
  /** The device's score, scaled to an integer. */
  BigInteger weight;

  /** Units assigned so far. */
  long count;

  /** Remainder of the exact share; all shares with room have the same denominator. */
  BigInteger remainder = BigInteger.ZERO;

  private final long cap;

  Share(BigInteger weight, long cap) {
    this.weight = weight;
    this.cap = cap;
  }

  /** Sets the exact share {@code units * weight / total}, limited by the cap. */
  void set(long units, BigInteger total) {
    BigInteger[] exact = BigInteger.valueOf(units).multiply(weight).divideAndRemainder(total);
    count = Math.min(exact[0].longValueExact(), cap);
    remainder = exact[1];
  }

  boolean hasRoom() {
    return count < cap;
  }

  /** Adds one unit and clears the remainder. */
  void add() {
    count++;
    remainder = BigInteger.ZERO;
  }
}
