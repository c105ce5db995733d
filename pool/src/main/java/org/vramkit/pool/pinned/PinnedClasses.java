package org.vramkit.pool.pinned;

/**
 * Size classes of page-locked buffers: eight to each doubling, so that a buffer is at most 12.5 %
 * larger than asked for; PyTorch rounds to powers of two and wastes up to 100 %. Below 512 bytes
 * the step is 64, a cache line.
 */
final class PinnedClasses {
  private static final int STEPS_LOG2 = 3;
  private static final int SMALLEST_STEP_LOG2 = 6;

  /** Above this no request is meant seriously, and below it no class overflows. */
  static final long LARGEST = 1L << 60;

  private PinnedClasses() {}

  /** The class of a request from 1 byte to {@link #LARGEST}. */
  static long sizeFor(long bytes) {
    int log2 = 63 - Long.numberOfLeadingZeros(bytes);
    long step = 1L << Math.max(SMALLEST_STEP_LOG2, log2 - STEPS_LOG2);
    return (bytes + step - 1) & -step;
  }

  /** The largest class of at most so many bytes; 0 if there is none. */
  static long largestWithin(long bytes) {
    long step = 1L << SMALLEST_STEP_LOG2;
    return bytes < step ? 0 : bytes & -Math.max(step, Long.highestOneBit(bytes) >> STEPS_LOG2);
  }
}
