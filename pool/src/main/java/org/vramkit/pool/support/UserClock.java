package org.vramkit.pool.support;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.vramkit.api.error.Batch;

/**
 * A clock of the user. Pools read it in the middle of changes, which an exception must not
 * interrupt: if the clock throws, its time stands still, and the failure is logged. The log
 * receives the first, second, fourth, eighth failure and so on. Thread-safe.
 */
public final class UserClock implements LongSupplier {
  private final LongSupplier clock;
  private final AtomicLong failures = new AtomicLong();
  private volatile long latest;

  /** Creates a clock and reads it once, which may throw what the user's clock throws. */
  public UserClock(LongSupplier clock) {
    this.clock = clock;
    this.latest = clock.getAsLong();
  }

  @Override
  public long getAsLong() {
    try {
      long now = clock.getAsLong();
      latest = now;
      return now;
    } catch (Throwable e) { // Kotlin's functions throw what they like
      failed(e);
      return latest;
    }
  }

  private void failed(Throwable failure) {
    long number = failures.incrementAndGet();
    if (Long.bitCount(number) == 1) {
      String message =
          "the clock of an allocator failed"
              + (number == 1 ? "" : ", " + number + " times so far")
              + "; its time stands still meanwhile";
      // A log that fails too must not interrupt the change either.
      Batch.after(
          failure,
          () ->
              System.getLogger(UserClock.class.getName())
                  .log(System.Logger.Level.WARNING, message, failure));
    }
  }
}
