package org.vramkit.partition.plan;

/**
 * Decides how many units each device gets. Exact for up to {@link Long#MAX_VALUE} units. The
 * running time depends only on the number of devices.
 */
public interface Partitioner {

  /**
   * Minimizes the time until the last device finishes. Assigns the whole units of the exact shares,
   * then each remaining unit to the device with the largest score / (count + 1), as in D'Hondt's
   * method. More units never reduce a device's count.
   */
  Partitioner FASTEST_FINISH = new FastestFinish();

  /**
   * Keeps every device within one unit of its exact share. Assigns the whole units of the exact
   * shares, then the remaining units by largest remainder. For a few units the work may finish up
   * to 11 % later than with {@link #FASTEST_FINISH}, and one more unit may reduce a device's count.
   */
  Partitioner LARGEST_REMAINDER = new LargestRemainder();

  /**
   * Divides {@code units} over devices. If a device's exact share exceeds its cap, the other
   * devices share the excess by their scores.
   *
   * @param units the number of units, not negative
   * @param scores the score of each device, best first; ties go to the earlier device. Negative
   *     scores and NaN count as 0. Devices with score 0 share equally the units that exceed the
   *     caps of the other devices. If a score is infinite, all scores count as equal
   * @param caps the maximum units of each device, not negative
   * @return the units of each device; their sum is {@code units}, or the sum of the caps if that is
   *     less
   */
  long[] divide(long units, double[] scores, long[] caps);
}
