package org.vramkit.partition.plan;

/**
 * How many units each device gets. Exact for any number of units up to {@link Long#MAX_VALUE};
 * takes time by the number of devices, not of units.
 */
public interface Partitioner {

  /**
   * Lets the last device finish as early as possible: the whole units of the exact shares, and each
   * one left to the device with the largest score / (count + 1), as D'Hondt gives seats to parties.
   * No device ever gets less because there are more units.
   */
  Partitioner FASTEST_FINISH = new FastestFinish();

  /**
   * The whole units of the exact shares, and those left to the largest remainders: every device
   * within one unit of its exact share. Finishes up to 11 % later than {@link #FASTEST_FINISH} for
   * a handful of units, and may take a unit from a device when there is one more.
   */
  Partitioner LARGEST_REMAINDER = new LargestRemainder();

  /**
   * Divides units. A device whose exact share reaches its cap is full; what it cannot take is
   * shared by the others, by their scores.
   *
   * @param units how many, not negative
   * @param scores what each device can do, best first: ties go to the earlier. Negative ones and
   *     NaN count as 0; a device with 0 gets only what the others have no room for, alike with
   *     others of 0. All count the same if one is infinite
   * @param caps most units for each device, not negative
   * @return units for each device; their sum is {@code units}, or the sum of the caps if that is
   *     less
   */
  long[] divide(long units, double[] scores, long[] caps);
}
