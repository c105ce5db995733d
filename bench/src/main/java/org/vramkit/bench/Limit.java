package org.vramkit.bench;

import java.util.Arrays;

/**
 * A lower bound for the cost of a caching allocator: thread-local stacks of addresses by size
 * class, without handles, statistics, streams or bounds.
 */
public final class Limit {
  private static final int STEPS_LOG2 = 4;
  private static final int CLASSES = 1024;
  private static final int INITIAL_CAPACITY = 16;

  private static final ThreadLocal<Limit> OWN = ThreadLocal.withInitial(Limit::new);

  private final long[][] stacks = new long[CLASSES][INITIAL_CAPACITY];
  private final int[] depths = new int[CLASSES];
  private long fresh = 1L << 32;

  private Limit() {}

  /** Returns an address from the calling thread's stacks. */
  public static long allocate(long bytes) {
    return OWN.get().pop(bytes);
  }

  /** Returns an address to the calling thread's stacks. */
  public static void free(long address, long bytes) {
    OWN.get().push(address, bytes);
  }

  private long pop(long bytes) {
    int sizeClass = classOf(bytes);
    int depth = depths[sizeClass];
    if (depth == 0) {
      fresh += bytes;
      return fresh - bytes;
    }
    depths[sizeClass] = depth - 1;
    return stacks[sizeClass][depth - 1];
  }

  private void push(long address, long bytes) {
    int sizeClass = classOf(bytes);
    long[] stack = stacks[sizeClass];
    int depth = depths[sizeClass];
    if (depth == stack.length) {
      stack = Arrays.copyOf(stack, 2 * depth);
      stacks[sizeClass] = stack;
    }
    stack[depth] = address;
    depths[sizeClass] = depth + 1;
  }

  private static int classOf(long bytes) {
    int log2 = 63 - Long.numberOfLeadingZeros(bytes | (1 << STEPS_LOG2));
    return (log2 << STEPS_LOG2) + (int) (bytes >>> (log2 - STEPS_LOG2)) & (CLASSES - 1);
  }
}
