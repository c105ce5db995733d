package org.vramkit.pool.caching.internal.heap;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.vramkit.api.allocator.MoveTimeStatistics;

/**
 * The time that may go into keeping memory small: a share of the program's elapsed time into moving
 * it, and as much into asking streams how far they are.
 *
 * <p>The credit for moves is half of what growth took so far: so a program is tidied while it
 * grows, on a slow device and on a fast one, and little that takes little memory.
 *
 * <p>Questions are apart because they are worth more: a stream's memory that is known to be free
 * need not move, so paying both from one account starves the cheaper one. What one costs depends on
 * the driver and on how busy the device is: from half a microsecond to several.
 *
 * <p>All pools of an allocator share one; any thread may ask and spend.
 */
public final class MoveTime {
  /** The most that may be spent at once: some 500 extents that move. */
  static final long MOST_CREDIT_NANOS = 50_000_000;

  /** The most that may be spent at once on questions: some thousands of them. */
  static final long MOST_ASKING_NANOS = 10_000_000;

  /** Of either credit the largest debt is so many times as much. */
  private static final int LARGEST_DEBT = 4;

  private static final double CREDIT_BY_GROWTH = 0.5;

  /** Less than a second in thirty years is nothing. */
  private static final double LEAST_SHARE = 1e-9;

  private final double share;
  private final LongSupplier clock;
  private final TimeAccount moving;
  private final TimeAccount asking;
  private final LongAdder growingNanos = new LongAdder();

  /**
   * Nothing spent yet.
   *
   * @param share of elapsed time, from 0, which allows nothing, to 1, which allows everything
   * @param clock of nanoseconds
   */
  public MoveTime(double share, LongSupplier clock) {
    this.share = share < LEAST_SHARE ? 0 : share;
    this.clock = clock;
    this.moving = new TimeAccount(this.share, LARGEST_DEBT * MOST_CREDIT_NANOS, clock);
    this.asking = new TimeAccount(this.share, LARGEST_DEBT * MOST_ASKING_NANOS, clock);
  }

  /** Whether memory counts more than any time. */
  public boolean isUnlimited() {
    return share >= 1;
  }

  /** Whether something may move now. */
  boolean isLeft() {
    return isUnlimited() || leftNanos() > 0;
  }

  /** Whether streams may be asked now. */
  boolean isLeftToAsk() {
    return leftToAskNanos() > 0;
  }

  private long leftToAskNanos() {
    if (isUnlimited()) {
      return Long.MAX_VALUE;
    }
    return share > 0 ? asking.leftOf(MOST_ASKING_NANOS) : 0;
  }

  private long leftNanos() {
    long credit = (long) (CREDIT_BY_GROWTH * growingNanos.sum());
    return share > 0 ? moving.leftOf(Math.min(MOST_CREDIT_NANOS, credit)) : 0;
  }

  /** The moment at which something begins that is to be paid. */
  public long now() {
    return clock.getAsLong();
  }

  /** Pays for questions to streams since a moment. */
  public void asked(long begin) {
    asking.spend(clock.getAsLong() - begin);
  }

  /** Pays for the driver calls since a moment that kept memory small. */
  void moved(long begin) {
    moving.spend(clock.getAsLong() - begin);
  }

  /**
   * Pays for the part of the time since a moment that went into moving; the rest was growth.
   *
   * @param movedPart from 0 to 1
   */
  void grew(long begin, double movedPart) {
    long nanos = clock.getAsLong() - begin;
    long moved = (long) (movedPart * nanos);
    growingNanos.add(nanos - moved);
    moving.spend(moved);
  }

  public MoveTimeStatistics read() {
    return new MoveTimeStatistics(moving.spentNanos(), asking.spentNanos(), leftNanos());
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
}
