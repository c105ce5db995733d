package org.vramkit.partition.plan;

/** Gives each remaining unit to the device with the largest remainder of its exact share. */
final class LargestRemainder extends ExactPartitioner {

  @Override
  boolean precedes(Share device, Share earlier) {
    return device.remainder.compareTo(earlier.remainder) > 0;
  }
}
