package org.vramkit.bench;

import java.util.SplittableRandom;

/**
 * The churn workload: as many live blocks as there are slots, of which a random one is replaced at
 * each step. Sizes are 2^b + uniform(2^b), b uniform from 9 to 22: 512 bytes to 8 MiB. Drawn
 * beforehand, so that drawing costs nothing while times are taken.
 */
final class Churn {
  /** Blocks that each thread holds. */
  static final int LIVE = 1000;

  private static final int STEPS = 1 << 16;
  private static final int LOWEST_LOG2 = 9;
  private static final int HIGHEST_LOG2 = 22;

  private final int[] slots = new int[STEPS];
  private final long[] sizes = new long[STEPS];
  private int step;

  Churn(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < STEPS; i++) {
      slots[i] = random.nextInt(LIVE);
      long base = 1L << random.nextInt(LOWEST_LOG2, HIGHEST_LOG2 + 1);
      sizes[i] = base + random.nextLong(base);
    }
  }

  /** Goes on to the next step. */
  void advance() {
    step = (step + 1) & (STEPS - 1);
  }

  /** Which block to replace. */
  int slot() {
    return slots[step];
  }

  /** By one of how many bytes. */
  long size() {
    return sizes[step];
  }
}
