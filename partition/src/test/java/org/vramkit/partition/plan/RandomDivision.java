package org.vramkit.partition.plan;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A random division of a few units over a few devices. Scores are small integers times a power of
 * two, so that sums of the integers are exact; some are 0, negative, infinite or NaN.
 */
final class RandomDivision {
  private static final double[] STRANGE = {0, -0.0, -3, Double.NaN, Double.POSITIVE_INFINITY};

  final int units;
  final double[] scores;
  final long[] caps;

  /**
   * The effective weights: the integers, 0 for invalid scores, or 1 for all devices if one is
   * infinite.
   */
  private final long[] weights;

  RandomDivision(SplittableRandom random) {
    int devices = 1 + random.nextInt(4);
    double scale = Math.scalb(1.0, random.nextInt(-900, 900));
    scores = new double[devices];
    caps = new long[devices];
    for (int i = 0; i < devices; i++) {
      boolean strange = random.nextInt(4) == 0;
      scores[i] =
          strange ? STRANGE[random.nextInt(STRANGE.length)] : scale * (1 + random.nextInt(9));
      caps[i] = random.nextInt(3) == 0 ? Long.MAX_VALUE : random.nextInt(10);
    }
    boolean even = Arrays.stream(scores).anyMatch(score -> score == Double.POSITIVE_INFINITY);
    weights =
        Arrays.stream(scores)
            .mapToLong(score -> even ? 1 : score > 0 ? (long) (score / scale) : 0)
            .toArray();
    units = random.nextInt(15);
  }

  /** Returns the indexes of the devices with a weight, which get units first. */
  int[] getWeighty() {
    return IntStream.range(0, weights.length).filter(i -> weights[i] > 0).toArray();
  }

  /** Returns the indexes of the devices without a weight, which share the excess equally. */
  int[] getWeightless() {
    return IntStream.range(0, weights.length).filter(i -> weights[i] == 0).toArray();
  }

  /** Returns the number of units for which there is room. */
  long getPlaced() {
    return Math.min(units, room(IntStream.range(0, caps.length).toArray()));
  }

  /** Returns all divisions of the weighty devices' units among them. */
  AllDivisions amongWeighty() {
    int[] devices = getWeighty();
    return new AllDivisions(
        Math.min(units, room(devices)), pick(weights, devices), pick(caps, devices));
  }

  /** Returns all divisions of the excess over the weightless devices. */
  AllDivisions amongWeightless() {
    int[] devices = getWeightless();
    long left = getPlaced() - Math.min(units, room(getWeighty()));
    long[] alike = new long[devices.length];
    Arrays.fill(alike, 1);
    return new AllDivisions(left, alike, pick(caps, devices));
  }

  private long room(int[] devices) {
    return IntStream.of(devices).mapToLong(i -> Math.min(caps[i], units)).sum();
  }

  static long[] pick(long[] values, int[] places) {
    return IntStream.of(places).mapToLong(i -> values[i]).toArray();
  }

  @Override
  public String toString() {
    return units + " units, " + Arrays.toString(scores) + ", caps " + Arrays.toString(caps);
  }
}
