package org.vramkit.sim;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits for latches in threads and functions that no test interrupts. */
final class Latches {
  private Latches() {}

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits at most for a time. */
  static void awaitFor(CountDownLatch latch, Duration timeout) {
    try {
      latch.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
