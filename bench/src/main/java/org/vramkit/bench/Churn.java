package org.vramkit.bench;

import java.util.SplittableRandom;

/**
 * The churn workload: as many live blocks as there are slots, of which a random one is replaced at
 * each step. Sizes are 2^b + uniform(2^b), b uniform from 9 to 22: 512 bytes to 8 MiB. Drawn
 * beforehand, so that drawing costs nothing while times are taken. Its user counts the steps: what
 * is written here all the time would share cache lines with other threads' once the collector moved
 * it.
 */
final class Churn {
  /** Blocks that each thread holds. */
  static final int LIVE = 1000;

  private static final int STEPS = 1 << 16;
  private static final int LOWEST_LOG2 = 9;
  private static final int HIGHEST_LOG2 = 22;

  private final int[] slots = new int[STEPS];
  private final long[] sizes = new long[STEPS];

  Churn(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < STEPS; i++) {
      slots[i] = random.nextInt(LIVE);
      long base = 1L << random.nextInt(LOWEST_LOG2, HIGHEST_LOG2 + 1);
      sizes[i] = base + random.nextLong(base);
    }
  }

  /** The step after one; steps begin at 0 and come round again. */
  static int after(int step) {
    return (step + 1) & (STEPS - 1);
  }

  /** Which block to replace. */
  int slot(int step) {
    return slots[step];
  }

  /** By one of how many bytes. */
  long size(int step) {
    return sizes[step];
  }
}
