package org.vramkit.pool.caching;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.vramkit.api.allocator.MoveTimeStatistics;

/**
 * The time that may go into keeping memory small: into moving it, and into asking streams how far
 * they are. A share of the program's elapsed time, with a credit for its beginning; what is not
 * used up does not grow beyond that credit.
 *
 * <p>A leaky bucket, kept as the generic cell rate algorithm keeps one: as the moment at which
 * everything spent so far will have been earned. All pools of an allocator share one; any thread
 * may ask and spend.
 */
final class MoveTime {
  /** What may be spent at once: some 500 extents that move. */
  static final long CREDIT_NANOS = 50_000_000;

  private final double share;
  private final LongSupplier clock;

  /** When all that was spent will be earned, on the clock. */
  private final AtomicLong earnedAt;

  private final LongAdder movingNanos = new LongAdder();
  private final LongAdder askingNanos = new LongAdder();

  /**
   * Full credit.
   *
   * @param share of elapsed time, from 0, which allows nothing, to 1, which allows everything
   * @param clock of nanoseconds
   */
  MoveTime(double share, LongSupplier clock) {
    this.share = share;
    this.clock = clock;
    this.earnedAt = new AtomicLong(clock.getAsLong());
  }

  /** Whether memory counts more than any time. */
  boolean isUnlimited() {
    return share >= 1;
  }

  /** Whether something may be spent now. */
  boolean isLeft() {
    return isUnlimited() || leftNanos() > 0;
  }

  /** What may be spent now, at most {@link #CREDIT_NANOS}; negative if a call took more. */
  long leftNanos() {
    if (share == 0) {
      return 0;
    }
    long untilEarned = Math.max(0, earnedAt.get() - clock.getAsLong());
    return CREDIT_NANOS - (long) (untilEarned * share);
  }

  /** The moment at which something begins that is to be paid. */
  long now() {
    return clock.getAsLong();
  }

  /** Pays for questions to streams since a moment. */
  void asked(long begin) {
    spend(clock.getAsLong() - begin, askingNanos);
  }

  /** Pays for the driver calls since a moment that kept memory small. */
  void moved(long begin) {
    moved(begin, 1);
  }

  /**
   * Pays for a part of the time since a moment.
   *
   * @param part from 0 to 1
   */
  void moved(long begin, double part) {
    spend((long) (part * (clock.getAsLong() - begin)), movingNanos);
  }

  /** Pays so many nanoseconds, also where less is left. */
  private void spend(long nanos, LongAdder on) {
    if (nanos <= 0) {
      return;
    }
    on.add(nanos);
    if (share > 0) {
      long now = clock.getAsLong();
      long earning = (long) (nanos / share);
      earnedAt.updateAndGet(at -> (at - now > 0 ? at : now) + earning);
    }
  }

  MoveTimeStatistics read() {
    return new MoveTimeStatistics(movingNanos.sum(), askingNanos.sum(), leftNanos());
  }
}
