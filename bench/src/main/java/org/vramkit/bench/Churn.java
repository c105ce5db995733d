package org.vramkit.bench;

import java.util.SplittableRandom;

/**
 * The churn workload: each slot has a live block, and each step replaces a random one. Sizes are
 * 2^b + uniform(2^b), with b uniform in a range. All steps are drawn in advance, outside of the
 * timed section. Immutable: callers count their steps themselves, to avoid false sharing.
 */
final class Churn {
  /** The default number of live blocks of a thread. */
  static final int LIVE = 1000;

  private static final int FEWEST_STEPS = 1 << 16;

  /** Steps per slot, so that nearly every slot is used before the steps repeat. */
  private static final int STEPS_PER_SLOT = 4;

  private final int live;
  private final int[] slots;
  private final long[] sizes;

  /** Draws steps over 1000 blocks of 512 bytes to 8 MiB. */
  Churn(long seed) {
    this(seed, LIVE, 9, 22);
  }

  /**
   * Draws the steps.
   *
   * @param seed random seed
   * @param live number of slots
   * @param lowestLog2 minimum of b
   * @param highestLog2 maximum of b
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

  /** Returns the number of slots. */
  int live() {
    return live;
  }

  /** Returns the next step; steps begin at 0 and wrap around. */
  int after(int step) {
    return (step + 1) & (slots.length - 1);
  }

  /** Returns the slot whose block is replaced. */
  int slot(int step) {
    return slots[step];
  }

  /** Returns the size of the new block in bytes. */
  long size(int step) {
    return sizes[step];
  }
}
