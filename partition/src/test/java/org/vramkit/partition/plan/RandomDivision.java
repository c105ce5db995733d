package org.vramkit.partition.plan;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A few units for a few devices. Scores are small integers times a power of two, so that sums over
 * the integers are exact; some are 0, negative, infinite or NaN.
 */
final class RandomDivision {
  private static final double[] STRANGE = {0, -0.0, -3, Double.NaN, Double.POSITIVE_INFINITY};

  final int units;
  final double[] scores;
  final long[] caps;

  /** What the scores count as: the integers, 0, or all 1 beside an infinite one. */
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

  /** Places of the devices that go first: those with a weight. */
  int[] getWeighty() {
    return IntStream.range(0, weights.length).filter(i -> weights[i] > 0).toArray();
  }

  /** Places of the devices that get what the others have no room for, all alike. */
  int[] getWeightless() {
    return IntStream.range(0, weights.length).filter(i -> weights[i] == 0).toArray();
  }

  /** How many units there is room for. */
  long getPlaced() {
    return Math.min(units, room(IntStream.range(0, caps.length).toArray()));
  }

  /** Every way to divide what is the weighty devices' among them. */
  AllDivisions amongWeighty() {
    int[] devices = getWeighty();
    return new AllDivisions(
        Math.min(units, room(devices)), pick(weights, devices), pick(caps, devices));
  }

  /** Every way to divide what the others have no room for. */
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
