package org.vramkit.partition.plan;

import java.math.BigInteger;

/** The next unit to the device that would have finished it first. */
final class FastestFinish extends Leftovers {

  @Override
  boolean goesBefore(Share device, Share earlier) {
    BigInteger ours = device.weight.multiply(BigInteger.valueOf(earlier.count + 1));
    BigInteger theirs = earlier.weight.multiply(BigInteger.valueOf(device.count + 1));
    return ours.compareTo(theirs) > 0;
  }
}
