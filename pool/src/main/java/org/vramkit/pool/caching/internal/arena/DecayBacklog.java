package org.vramkit.pool.caching.internal.arena;

import java.util.Arrays;

/**
 * How much memory was needed in each of the last epochs, and how much is to be kept for it.
 *
 * <p>What was last needed some time ago keeps a share that falls from all to nothing over the
 * window, slowly at both ends: by the smoothstep 6x^5 - 15x^4 + 10x^3, as jemalloc's decay of dirty
 * pages does. Unlike there not the pages that were freed in an epoch are counted but the most that
 * was needed at once: a program that fills and empties the same memory in every round keeps it.
 *
 * <p>Not safe for threads.
 */
final class DecayBacklog {
  /** What was needed in the epoch that ended last comes first. */
  private final long[] needed;

  /** Nothing was needed yet. */
  DecayBacklog(int epochs) {
    needed = new long[epochs];
  }

  /** Epochs have ended, and at most so many bytes were needed at once in any of them. */
  void ended(long epochs, long mostNeeded) {
    int count = (int) Math.min(epochs, needed.length);
    System.arraycopy(needed, 0, needed, count, needed.length - count);
    Arrays.fill(needed, 0, count, mostNeeded);
  }

  /** Bytes to be kept. */
  long kept() {
    double kept = 0;
    long younger = 0;
    for (int age = 0; age < needed.length; age++) {
      long here = Math.max(younger, needed[age]);
      kept += share((double) age / needed.length) * (here - younger);
      younger = here;
    }
    return (long) Math.ceil(kept);
  }

  private static double share(double age) {
    return 1 - age * age * age * (age * (6 * age - 15) + 10);
  }
}
