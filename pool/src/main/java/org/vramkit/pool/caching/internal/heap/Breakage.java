package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;

/**
 * Records that a JVM error, such as a stack overflow, interrupted a change of a heap. The heap is
 * not repaired: later changes fail with the cause, and the close returns memory by chunks.
 */
final class Breakage {
  private volatile @Nullable Error cause;

  /** Notes an error that came in the middle of a change. */
  void cause(Error error) {
    cause = error;
  }

  boolean isBroken() {
    return cause != null;
  }

  /**
   * Refuses a change of a broken heap.
   *
   * @throws IllegalStateException with the error of the JVM
   */
  void requireNone() {
    Error error = cause;
    if (error != null) {
      throw new IllegalStateException(
          "the allocator is broken: a JVM error interrupted a change of its state; close it and"
              + " create a new one",
          error);
    }
  }
}
