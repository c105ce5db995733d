package org.vramkit.pool.caching.internal.heap;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.vramkit.api.allocator.MoveTimeStatistics;

/**
 * The time that an allocator may spend on moving chunks to keep reserved memory small: a share of
 * the program's elapsed time.
 *
 * <p>In advance, moves may use a millisecond and half of the time of growth so far. A program may
 * therefore move chunks while it grows for the first time, when moves save most, and later only as
 * the share allows. One call moves for at most {@link #CALL_NANOS}; the memory that is still
 * missing comes from the driver.
 *
 * <p>All pools of an allocator share one budget. Thread-safe.
 */
public final class MoveBudget {
  /** The most that one call spends on moves. */
  private static final long CALL_NANOS = 1_000_000;

  /** The most that may be spent at once: some 500 chunks that move. */
  static final long MOST_CREDIT_NANOS = 50_000_000;

  /** The largest debt, as a multiple of the credit. */
  private static final int LARGEST_DEBT = 4;

  private static final double CREDIT_BY_GROWTH = 0.5;

  /** Spent before growth has earned it: few growths of many bytes need it, and most gain by it. */
  private static final long FIRST_CREDIT_NANOS = 1_000_000;

  /**
   * The assumed cost of moving a chunk until it is measured: unmapping, mapping, granting access.
   */
  private static final long FIRST_MOVE_NANOS = 100_000;

  /** The weight of earlier measurements against one more move. */
  private static final int MEASURED_WEIGHT = 7;

  /** A smaller share is less than a second in thirty years. */
  private static final double LEAST_SHARE = 1e-9;

  private final double share;
  private final LongSupplier clock;
  private final TimeAccount moving;
  private final LongAdder growingNanos = new LongAdder();

  /** The measured cost of a move; racing threads lose a measurement. */
  private volatile long moveNanos = FIRST_MOVE_NANOS;

  /**
   * A budget of which nothing is spent.
   *
   * @param share of elapsed time, from 0, which allows nothing, to 1, which allows everything
   * @param clock of nanoseconds
   */
  public MoveBudget(double share, LongSupplier clock) {
    this.share = share < LEAST_SHARE ? 0 : share;
    this.clock = clock;
    this.moving = new TimeAccount(this.share, LARGEST_DEBT * MOST_CREDIT_NANOS, clock);
  }

  private boolean isUnlimited() {
    return share >= 1;
  }

  /** Returns the number of chunks that one call may move now. */
  int affordableMoves() {
    if (isUnlimited()) {
      return Integer.MAX_VALUE;
    }
    return (int) Math.max(0, Math.min(CALL_NANOS, leftNanos()) / moveNanos);
  }

  /** Returns whether something may move now. */
  boolean isLeft() {
    return isUnlimited() || leftNanos() > 0;
  }

  private long leftNanos() {
    long credit = FIRST_CREDIT_NANOS + (long) (CREDIT_BY_GROWTH * growingNanos.sum());
    return share > 0 ? moving.leftOf(Math.min(MOST_CREDIT_NANOS, credit)) : 0;
  }

  /** The moment at which something begins that is to be paid. */
  long now() {
    return clock.getAsLong();
  }

  /** Pays for the driver calls since a moment that gave memory back to keep the peak down. */
  void gaveBack(long begin) {
    moving.spend(clock.getAsLong() - begin);
  }

  /**
   * Pays for a growth since a moment.
   *
   * @param moved chunks that moved
   * @param created chunks that the driver created
   */
  void grew(long begin, int moved, int created) {
    long nanos = clock.getAsLong() - begin;
    long movedNanos = moved == 0 ? 0 : nanos * moved / (moved + created);
    growingNanos.add(nanos - movedNanos);
    if (moved > 0) {
      moving.spend(movedNanos);
      moveNanos =
          Math.max(1, (MEASURED_WEIGHT * moveNanos + movedNanos) / (MEASURED_WEIGHT + moved));
    }
  }

  /** The time spent so far, and the time that is left. */
  public MoveTimeStatistics read() {
    return new MoveTimeStatistics(moving.spentNanos(), leftNanos());
  }

  /**
   * Time that may be spent on credit, and is paid back by a share of the time that passes.
   *
   * <p>A leaky bucket, kept as the generic cell rate algorithm keeps one: as the moment at which
   * all that was spent will be paid back. Any thread may spend.
   */
  private static final class TimeAccount {
    private final double share;
    private final LongSupplier clock;

    /** The time in which the largest debt is paid back. */
    private final double longest;

    private final LongAdder spent = new LongAdder();

    /** The clock's time at which all spent time is paid back. */
    private final AtomicLong paidAt;

    /**
     * An account of which nothing is spent.
     *
     * @param share of elapsed time, from 0
     * @param largestDebt nanoseconds; a larger debt is cut, because the process may have stood
     *     still
     * @param clock of nanoseconds
     */
    TimeAccount(double share, long largestDebt, LongSupplier clock) {
      this.share = share;
      this.longest = largestDebt / share;
      this.clock = clock;
      this.paidAt = new AtomicLong(clock.getAsLong());
    }

    /** Returns the rest of a credit; negative if a call exceeded it. */
    long leftOf(long creditNanos) {
      long untilPaid = Math.max(0, paidAt.get() - clock.getAsLong());
      return creditNanos - (long) (untilPaid * share);
    }

    long spentNanos() {
      return spent.sum();
    }

    /** Spends time, also where less is left. */
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
}
