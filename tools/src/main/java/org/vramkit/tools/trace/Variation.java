package org.vramkit.tools.trace;

import java.util.SplittableRandom;

/**
 * Draws how a recorded program might have run another time: with sizes up to 15 % smaller or larger
 * and up to 20 % faster or slower as a whole. Allocations of one size stay of one size, as a
 * program's shapes do. The number of a variation is its seed; it alone and the recorded values
 * decide what is drawn.
 */
final class Variation {
  private static final double SIZES = 0.15;
  private static final double TIMES = 0.20;

  private final int number;
  private final double stretch;

  /**
   * Prepares to draw.
   *
   * @param number the seed, at least 1
   */
  Variation(int number) {
    this.number = number;
    this.stretch = factor(new SplittableRandom(number), TIMES);
  }

  /** The size that takes the place of a recorded one; of 0 bytes 0. */
  long size(long recorded) {
    long seed = new SplittableRandom(number).nextLong() ^ recorded;
    return recorded == 0
        ? 0
        : Math.max(1, Math.round(recorded * factor(new SplittableRandom(seed), SIZES)));
  }

  /** The time that takes the place of a recorded one. */
  long nanos(long recorded) {
    return Math.round(recorded * stretch);
  }

  private static double factor(SplittableRandom random, double most) {
    return 1 - most + 2 * most * random.nextDouble();
  }
}
