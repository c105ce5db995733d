package org.vramkit.partition.plan;

import java.math.BigInteger;

/** The next unit to the device that would have finished it first. */
final class FastestFinish extends Leftovers {

  @Override
  boolean goesBefore(Candidate device, Candidate earlier) {
    BigInteger ours =
        device.weight().multiply(BigInteger.valueOf(earlier.count()).add(BigInteger.ONE));
    BigInteger theirs =
        earlier.weight().multiply(BigInteger.valueOf(device.count()).add(BigInteger.ONE));
    return ours.compareTo(theirs) > 0;
  }
}
