package org.vramkit.partition.scatter;

import java.util.concurrent.atomic.AtomicInteger;

/** State that the threads of one scatter share. */
final class Progress {
  private final AtomicInteger halvings = new AtomicInteger();
  private long cancelledAt;

  /** Written after {@link #cancelledAt}, which it publishes. */
  private volatile boolean cancelled;

  /** Returns whether it was this call that did it. */
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

  /** How long ago it was cancelled; 0 if it was not. */
  long nanosSinceCancelled() {
    return cancelled ? System.nanoTime() - cancelledAt : 0;
  }

  void halved() {
    halvings.incrementAndGet();
  }

  int halvings() {
    return halvings.get();
  }
}
