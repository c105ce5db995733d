package org.vramkit.tools.trace;

/** The part of the Java heap that a reader may use. */
final class HeapBudget {
  /** Bytes reserved for classes, buffers and writing a page. */
  private static final long RESERVED = 32L << 20;

  private static final long MINIMUM = 1L << 20;

  private HeapBudget() {}

  /** Returns the budget in bytes. */
  static long bytes() {
    return Math.max(MINIMUM, Runtime.getRuntime().maxMemory() - RESERVED);
  }
}
