package org.vramkit.partition.plan;

import java.math.BigInteger;

/** Gives each remaining unit to the device that would finish it first. */
final class FastestFinish extends ExactPartitioner {

  @Override
  boolean precedes(Share device, Share earlier) {
    BigInteger ours = device.weight.multiply(BigInteger.valueOf(earlier.count + 1));
    BigInteger theirs = earlier.weight.multiply(BigInteger.valueOf(device.count + 1));
    return ours.compareTo(theirs) > 0;
  }
}
