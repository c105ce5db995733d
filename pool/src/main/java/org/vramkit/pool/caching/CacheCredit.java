package org.vramkit.pool.caching;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * How much memory the caches may cost.
 *
 * <p>Small caches that are emptied before memory is taken keep what is reserved at the least. That
 * is right for programs that allocate thousands of times a second, as those do that wait for
 * kernels: whatever lies behind the caches costs them next to nothing. A program that replaces
 * blocks as fast as it can would spend all its time there. It is told by just that: by the share of
 * time that threads spend searching behind the caches. Its caches may keep more, and may stay
 * filled when memory is taken, until what is reserved exceeds what is live by a share of it; once
 * enough is reserved for its habits it searches no more.
 *
 * <p>{@code searches} and {@code nanos} are counted by all threads without a lock, {@code
 * earnedRoom} is read by every free. The monitor guards the rest; it is taken only beside the hot
 * path, and inside it that of {@link LiveGauge} alone.
 */
final class CacheCredit {
  /** A judgement needs as many searches: those of a start are no habit. */
  private static final long JUDGED_SEARCHES = 1 << 15;

  /** And so much time. */
  private static final long JUDGED_NANOS = 50_000_000;

  /** Busy is who spends a twentieth of a thread's time or more on searches. */
  private static final int BUSY_SHARE = 20;

  /** Times end in any bits: of so many searches about one asks to judge. */
  private static final long ASKING = 256;

  /** A busy time earns this part of what may be earned at most. */
  private static final int STEPS = 8;

  /** The part of what an emptying moved that it pays for later. */
  private static final int PAID_PART = 4;

  private final double largestShare;
  private final MemoryBooks books;
  private final LongSupplier live;
  private final LongSupplier clock;
  private final LongAdder searches = new LongAdder();
  private final LongAdder nanos = new LongAdder();
  private volatile long earnedRoom;
  private long earned;
  private long credit;
  private long judgedSearches;
  private long judgedNanos;
  private long judgedAt;
  private int busyTimes;

  /**
   * None yet.
   *
   * @param largestShare most that may be reserved beyond what is live, as a share of that
   * @param live bytes that users hold; may be a little too many
   */
  CacheCredit(double largestShare, MemoryBooks books, LongSupplier live) {
    this(largestShare, books, live, System::nanoTime);
  }

  CacheCredit(double largestShare, MemoryBooks books, LongSupplier live, LongSupplier clock) {
    this.largestShare = largestShare;
    this.books = books;
    this.live = live;
    this.clock = clock;
    this.judgedAt = clock.getAsLong();
  }

  /** Bytes that each stripe may keep beyond what it was given. */
  long earnedRoom() {
    return earnedRoom;
  }

  /**
   * A search behind the caches has found something.
   *
   * @return whether it is time to judge
   */
  boolean searched(long tookNanos) {
    searches.increment();
    nanos.add(tookNanos);
    return tookNanos % ASKING == 0;
  }

  /**
   * Looks how the time since the last judgement was spent.
   *
   * @param stripes how many there are
   */
  synchronized void judge(int stripes) {
    long now = clock.getAsLong();
    long wall = now - judgedAt;
    long newSearches = searches.sum() - judgedSearches;
    if (wall < JUDGED_NANOS || newSearches < JUDGED_SEARCHES) {
      return;
    }
    long spent = nanos.sum() - judgedNanos;
    busyTimes = spent > wall / BUSY_SHARE ? busyTimes + 1 : 0;
    judgedSearches += newSearches;
    judgedNanos += spent;
    judgedAt = now;
    if (busyTimes > 1) {
      long most = most();
      earned = Math.min(most, earned + most / STEPS);
      earnedRoom = earned / stripes;
    }
  }

  private long most() {
    return (long) (largestShare * live.getAsLong());
  }

  /** The caches were emptied, and that alone found a block: so many bytes were in them. */
  synchronized void emptied(long bytes) {
    if (busyTimes > 1) {
      credit = Math.min(most(), credit + bytes / PAID_PART);
    }
  }

  /**
   * Pays for a growth that leaves the caches filled; false if there is not so much credit, or too
   * much is reserved already.
   *
   * @param bytes of the block that is wanted, more than 0
   */
  synchronized boolean pay(long bytes) {
    if (bytes > credit || books.reserved() + bytes > live.getAsLong() + most()) {
      return false;
    }
    credit -= bytes;
    return true;
  }

  /** Memory is short or wanted back: everything is to be earned anew. */
  synchronized void forfeit() {
    earned = 0;
    earnedRoom = 0;
    credit = 0;
    busyTimes = 0;
  }
}
