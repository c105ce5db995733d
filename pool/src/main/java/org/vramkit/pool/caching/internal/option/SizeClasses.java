package org.vramkit.pool.caching.internal.option;

/**
 * Classes of block sizes for the caches: exact below 16 quanta, then 16 to each aliasing, so that a
 * block of a class is at most 1/16 larger than another of it. A class is named by its lower bound.
 */
public final class SizeClasses {
  private static final int STEPS_LOG2 = 4;
  private static final int STEPS = 1 << STEPS_LOG2;
  private static final int QUANTUM_LOG2 = Long.numberOfTrailingZeros(SizeRules.QUANTUM);

  private SizeClasses() {}

  /** The class whose blocks are at least as small as any that can hold {@code size}. */
  public static int of(long size) {
    long quanta = size >>> QUANTUM_LOG2;
    if (quanta < STEPS) {
      return (int) quanta;
    }
    int shift = 63 - Long.numberOfLeadingZeros(quanta) - STEPS_LOG2;
    return (shift << STEPS_LOG2) + (int) (quanta >>> shift);
  }

  /** The largest size of the class that a size is in. */
  public static long largestOf(long size) {
    long quanta = size >>> QUANTUM_LOG2;
    if (quanta < STEPS) {
      return size;
    }
    int shift = 63 - Long.numberOfLeadingZeros(quanta) - STEPS_LOG2;
    return ((((quanta >>> shift) + 1) << shift) - 1) << QUANTUM_LOG2;
  }

  /** How many classes hold all sizes up to this one. */
  public static int countUpTo(long size) {
    return of(size) + 1;
  }
}
