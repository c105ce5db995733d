package org.vramkit.bench;

import java.util.SplittableRandom;

/**
 * The churn workload: as many live blocks as there are slots, of which a random one is replaced at
 * each step. Sizes are 2^b + uniform(2^b), b uniform in a range. Drawn beforehand, so that drawing
 * costs nothing while times are taken. Its user counts the steps: what is written here all the time
 * would share cache lines with other threads' once the collector moved it.
 */
final class Churn {
  /** Blocks that each thread holds, unless a benchmark is about their number. */
  static final int LIVE = 1000;

  private static final int FEWEST_STEPS = 1 << 16;

  /** Steps for each slot, so that nearly all of them have their turn before the steps repeat. */
  private static final int STEPS_PER_SLOT = 4;

  private final int live;
  private final int[] slots;
  private final long[] sizes;

  /** 1000 blocks of 512 bytes to 8 MiB. */
  Churn(long seed) {
    this(seed, LIVE, 9, 22);
  }

  /**
   * Draws the steps.
   *
   * @param seed where everything random comes from
   * @param live how many slots
   * @param lowestLog2 least b
   * @param highestLog2 greatest b
   */
  Churn(long seed, int live, int lowestLog2, int highestLog2) {
    this.live = live;
    int steps = Math.max(FEWEST_STEPS, Integer.highestOneBit(STEPS_PER_SLOT * live - 1) << 1);
    slots = new int[steps];
    sizes = new long[steps];
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < steps; i++) {
      slots[i] = random.nextInt(live);
      long base = 1L << random.nextInt(lowestLog2, highestLog2 + 1);
      sizes[i] = base + random.nextLong(base);
    }
  }

  /** How many slots there are. */
  int live() {
    return live;
  }

  /** The step after one; steps begin at 0 and come round again. */
  int after(int step) {
    return (step + 1) & (slots.length - 1);
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
