package org.vramkit.tools.trace;

/** The part of the Java heap that a reader may fill. */
final class HeapRoom {
  /** Classes, buffers, and what makes a page of a trace. */
  private static final long OTHERS = 32L << 20;

  private static final long LEAST = 1L << 20;

  private HeapRoom() {}

  /** In bytes. */
  static long bytes() {
    return Math.max(LEAST, Runtime.getRuntime().maxMemory() - OTHERS);
  }
}
