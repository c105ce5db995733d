package org.vramkit.tools.trace;

import java.util.SplittableRandom;

/**
 * Scales a recorded program's sizes by up to 15 % and its pace by up to 20 %. Equal sizes get equal
 * factors, because they have the same cause, such as the shape of a tensor. The result depends only
 * on the seed and the recorded values.
 */
final class Variation {
  private static final double SIZES = 0.15;
  private static final double TIMES = 0.20;

  private final int seed;
  private final double stretch;

  /**
   * Creates a variation.
   *
   * @param seed the seed, at least 1
   */
  Variation(int seed) {
    this.seed = seed;
    this.stretch = factor(new SplittableRandom(seed), TIMES);
  }

  /** Returns the varied size; 0 for 0. */
  long size(long recorded) {
    long sizeSeed = new SplittableRandom(seed).nextLong() ^ recorded;
    return recorded == 0
        ? 0
        : Math.max(1, Math.round(recorded * factor(new SplittableRandom(sizeSeed), SIZES)));
  }

  /** Returns the varied time in nanoseconds. */
  long nanos(long recorded) {
    return Math.round(recorded * stretch);
  }

  private static double factor(SplittableRandom random, double most) {
    return 1 - most + 2 * most * random.nextDouble();
  }
}
