package org.vramkit.partition.scatter;

/** The cancellation state that the threads of a scatter share. */
final class Progress {
  private long cancelledAt;

  /** Written after {@link #cancelledAt}, which it publishes. */
  private volatile boolean cancelled;

  /** Cancels the scatter. Returns false if it was cancelled before. */
  synchronized boolean cancel() {
    if (cancelled) {
      return false;
    }
    cancelledAt = System.nanoTime();
    cancelled = true;
    return true;
  }

  boolean isCancelled() {
    return cancelled;
  }

  /** Returns the nanoseconds since cancellation; 0 if not cancelled. */
  long nanosSinceCancelled() {
    return cancelled ? System.nanoTime() - cancelledAt : 0;
  }
}
