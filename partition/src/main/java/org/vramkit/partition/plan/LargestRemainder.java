package org.vramkit.partition.plan;

/** The next unit to the device whose exact share is farthest above what it has. */
final class LargestRemainder extends Leftovers {

  @Override
  boolean goesBefore(Share device, Share earlier) {
    return device.remainder.compareTo(earlier.remainder) > 0;
  }
}
