package org.vramkit.pool.caching.internal.heap;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Time that may be spent on credit, and is paid back by a share of the time that passes.
 *
 * <p>A leaky bucket, kept as the generic cell rate algorithm keeps one: as the moment at which all
 * that was spent will be paid back. Any thread may spend.
 */
final class TimeAccount {
  private final double share;
  private final LongSupplier clock;

  /** How long the largest debt takes to be paid back. */
  private final double longest;

  private final LongAdder spent = new LongAdder();

  /** When all that was spent will be paid back, on the clock. */
  private final AtomicLong paidAt;

  /**
   * Nothing spent yet.
   *
   * @param share of elapsed time, from 0
   * @param largestDebt nanoseconds; what is spent beyond is not paid back, because it may be that
   *     the process stood still
   * @param clock of nanoseconds
   */
  TimeAccount(double share, long largestDebt, LongSupplier clock) {
    this.share = share;
    this.longest = largestDebt / share;
    this.clock = clock;
    this.paidAt = new AtomicLong(clock.getAsLong());
  }

  /** What may be spent now of a credit; negative if a call took more. */
  long leftOf(long creditNanos) {
    long untilPaid = Math.max(0, paidAt.get() - clock.getAsLong());
    return creditNanos - (long) (untilPaid * share);
  }

  /** All that was ever spent. */
  long spentNanos() {
    return spent.sum();
  }

  /** Spends so many nanoseconds, also where less is left. */
  void spend(long nanos) {
    if (nanos > 0) {
      spent.add(nanos);
    }
    if (nanos > 0 && share > 0) {
      long now = clock.getAsLong();
      double paying = nanos / share;
      paidAt.updateAndGet(at -> now + (long) Math.min(Math.max(0, at - now) + paying, longest));
    }
  }
}
