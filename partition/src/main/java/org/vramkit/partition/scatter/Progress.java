package org.vramkit.partition.scatter;

import java.util.concurrent.atomic.AtomicInteger;

/** What the threads of one scatter tell each other. */
final class Progress {
  private final AtomicInteger halvings = new AtomicInteger();
  private volatile boolean cancelled;

  void cancel() {
    cancelled = true;
  }

  boolean isCancelled() {
    return cancelled;
  }

  void halved() {
    halvings.incrementAndGet();
  }

  int halvings() {
    return halvings.get();
  }
}
