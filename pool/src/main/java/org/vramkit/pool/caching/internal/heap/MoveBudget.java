package org.vramkit.pool.caching.internal.heap;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.vramkit.api.allocator.MoveTimeStatistics;

/**
 * The time that an allocator may spend on moving chunks to keep reserved memory small: a share of
 * the program's elapsed time.
 *
 * <p>Moves also get a credit: a millisecond, and half of the time that growth has taken so far. A
 * program may therefore move chunks while it grows for the first time, when moves save most. Later
 * the share alone limits them. One call unmaps chunks for at most {@link #CALL_NANOS}; the driver
 * provides the memory that is still missing.
 *
 * <p>Implements a leaky bucket by the generic cell rate algorithm: stores the moment at which all
 * spent time will be paid back by the share of elapsed time. A debt larger than {@link
 * #LARGEST_DEBT} is cut, because the process may have been stopped. All pools of an allocator share
 * one budget. Thread-safe.
 */
public final class MoveBudget {
  /** The longest time that one call spends on unmapping chunks to move. */
  private static final long CALL_NANOS = 1_000_000;

  /** The largest credit: some 500 moved chunks. */
  static final long MOST_CREDIT_NANOS = 50_000_000;

  /** The largest debt, as a multiple of the credit. */
  private static final int LARGEST_DEBT = 4;

  private static final double CREDIT_BY_GROWTH = 0.5;

  /** The credit before any growth, for programs that grow a few times by many bytes. */
  private static final long FIRST_CREDIT_NANOS = 1_000_000;

  /** The assumed time to unmap a chunk, until it is measured. */
  private static final long FIRST_UNMAP_NANOS = 50_000;

  /** The weight of earlier measurements against one more chunk. */
  private static final int MEASURED_WEIGHT = 7;

  /** A smaller share counts as 0: it is less than a second in thirty years. */
  private static final double LEAST_SHARE = 1e-9;

  private final double share;
  private final LongSupplier clock;

  /** Nanoseconds in which the largest debt is paid back. */
  private final double longest;

  private final LongAdder spentNanos = new LongAdder();

  /** The clock's time at which all spent time is paid back. */
  private final AtomicLong paidAt;

  private final LongAdder growingNanos = new LongAdder();

  /** The measured time to unmap a chunk. If threads race, a measurement is lost. */
  private volatile long unmapNanos = FIRST_UNMAP_NANOS;

  /**
   * Creates a budget without spent time.
   *
   * @param share of elapsed time, from 0, which allows nothing, to 1, which allows everything
   * @param clock of nanoseconds
   */
  public MoveBudget(double share, LongSupplier clock) {
    this.share = share < LEAST_SHARE ? 0 : share;
    this.clock = clock;
    this.longest = LARGEST_DEBT * MOST_CREDIT_NANOS / this.share;
    this.paidAt = new AtomicLong(clock.getAsLong());
  }

  private boolean isUnlimited() {
    return share >= 1;
  }

  /** Returns the number of chunks that one call may move now. */
  int affordableMoves() {
    if (isUnlimited()) {
      return Integer.MAX_VALUE;
    }
    // One move at least, if time is left: after a single slow call, the mean would never recover.
    long unmap = Math.min(unmapNanos, CALL_NANOS);
    return (int) Math.max(0, Math.min(CALL_NANOS, leftNanos()) / unmap);
  }

  boolean isLeft() {
    return isUnlimited() || leftNanos() > 0;
  }

  /** Returns the unspent nanoseconds of the credit; negative if a call exceeded it. */
  private long leftNanos() {
    long credit = FIRST_CREDIT_NANOS + (long) (CREDIT_BY_GROWTH * growingNanos.sum());
    long untilPaid = Math.max(0, paidAt.get() - clock.getAsLong());
    return share > 0 ? Math.min(MOST_CREDIT_NANOS, credit) - (long) (untilPaid * share) : 0;
  }

  /** Spends time, even if less is left. */
  private void spend(long nanos) {
    if (nanos > 0) {
      spentNanos.add(nanos);
    }
    if (nanos > 0 && share > 0) {
      long now = clock.getAsLong();
      double paying = nanos / share;
      paidAt.updateAndGet(at -> now + (long) Math.min(Math.max(0, at - now) + paying, longest));
    }
  }

  /** Returns the clock's time, to be passed to {@link #gaveBack} or {@link #grew} as the begin. */
  long now() {
    return clock.getAsLong();
  }

  /**
   * Charges the time since {@code begin}, in which the driver took memory back to keep the peak
   * down.
   */
  void gaveBack(long begin) {
    spend(clock.getAsLong() - begin);
  }

  /**
   * Charges the moves of a growth, and credits the rest of its time.
   *
   * @param moved number of moved chunks
   * @param created number of created chunks
   */
  void grew(long begin, int moved, int created) {
    long nanos = clock.getAsLong() - begin;
    long movedNanos = moved == 0 ? 0 : nanos * moved / (moved + created);
    growingNanos.add(nanos - movedNanos);
    spend(movedNanos);
  }

  /**
   * Measures what a move adds to a call: the time since {@code begin}, in which {@code chunks} were
   * unmapped. Access is granted to all chunks of a hole at once, and created ones need it too.
   */
  void unmapped(long begin, int chunks) {
    if (chunks > 0) {
      long nanos = clock.getAsLong() - begin;
      unmapNanos = Math.max(1, (MEASURED_WEIGHT * unmapNanos + nanos) / (MEASURED_WEIGHT + chunks));
    }
  }

  public MoveTimeStatistics read() {
    return new MoveTimeStatistics(spentNanos.sum(), leftNanos());
  }
}
