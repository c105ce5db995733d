package org.vramkit.pool.caching.internal.cache;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;

/**
 * How much memory the caches may cost.
 *
 * <p>Small caches that are emptied before memory is taken keep what is reserved at the least. That
 * is right for programs that allocate thousands of times a second, as those do that wait for
 * kernels: whatever lies behind the caches costs them next to nothing. A program that replaces
 * blocks as fast as it can would spend all its time there. It is told by just that: by the share of
 * time that threads spend searching behind the caches.
 *
 * <p>A busy phase begins when that is, of all threads together, a third of one thread's time, twice
 * in a row: the rest of what a miss costs, in caches and books, is as much again. From then on the
 * caches earn room, a quarter of what they may have at most with every thousand searches, as long
 * as searching still costs more than a twentieth of a thread's time. What is earned the caches may
 * keep, and so much may be reserved beyond what is live without emptying them first. The phase ends
 * when searches cost next to nothing: then half of the room goes with each look.
 *
 * <p>{@code searches} and {@code nanos} are counted by all threads without a lock, {@code
 * earnedRoom} is read when a stripe adapts. The monitor guards the rest; it is taken only beside
 * the hot path, and inside it the locks of stripes alone, one at a time.
 */
public final class CacheCredit {
  /** The most that may be reserved beyond what is live, as a share of that. */
  public static final double SHARE = 0.75;

  /** A judgement needs as many searches: a few are no habit. */
  private static final long JUDGED_SEARCHES = 1 << 10;

  /** And so much time. */
  private static final long JUDGED_NANOS = 1_000_000;

  /** After this time any number is enough to see that a phase is over. */
  private static final long LONGEST_NANOS = 1_000_000_000;

  /** One part of a thread's time in so many, spent on searches, begins a busy phase. */
  private static final int BEGINNING_SHARE = 3;

  /** The same to earn more in it. */
  private static final int EARNING_SHARE = 20;

  /** With less than this the phase is over. */
  private static final int CALM_SHARE = 2000;

  /** A busy time earns this part of what may be earned at most. */
  private static final int STEPS = 4;

  /** Users hold little while that is at most such a part of what they may hold. */
  private static final int LIMIT_PARTS = 4;

  /** Of so many searches one is timed, which stands for all of them; a power of two. */
  private static final int TIMED_SHARE = 8;

  /** Times end in any bits: of so many timed searches about one asks to judge. */
  private static final long ASKING = 8;

  /** Of a search that is not timed. */
  private static final long NOT_TIMED = Long.MIN_VALUE;

  private final double largestShare;
  private final ReservedMemory books;
  private final LongSupplier live;
  private final LongSupplier ownLive;
  private final long deviceBytes;
  private final LongSupplier clock;
  private final LongAdder searches = new LongAdder();
  private final LongAdder nanos = new LongAdder();
  private volatile long earnedRoom;
  private volatile long earned;

  /** Draws what is timed. Threads may overwrite each other's draws: any draw will do. */
  private int draw = 1;

  private long judgedSearches;
  private long judgedNanos;
  private long judgedAt;
  private int busyTimes;

  /**
   * None yet.
   *
   * @param largestShare most that may be reserved beyond what is live, as a share of that
   * @param live bytes that users of all pools hold; may be a little too many
   * @param ownLive the same of this pool's users
   * @param deviceBytes all memory of the device
   * @param clock of nanoseconds, by which time is spent
   */
  public CacheCredit(
      double largestShare,
      ReservedMemory books,
      LongSupplier live,
      LongSupplier ownLive,
      long deviceBytes,
      LongSupplier clock) {
    this.largestShare = largestShare;
    this.books = books;
    this.live = live;
    this.ownLive = ownLive;
    this.deviceBytes = deviceBytes;
    this.clock = clock;
    this.judgedAt = clock.getAsLong();
  }

  /** Bytes that each stripe may keep beyond what it was given. */
  long earnedRoom() {
    return earnedRoom;
  }

  /** Whether time counts more than memory at the moment. */
  public boolean isBusy() {
    return earned > 0;
  }

  /**
   * Whether requests may be given larger blocks than they ask for, at most 9/16 larger. Only while
   * users hold little now, however much that was when room was earned: such a block stays with its
   * user, and what it wastes is missing when all else is in use.
   */
  public boolean isGenerous() {
    return isBusy() && isLittle(live.getAsLong(), Math.min(books.limitOfAll(), deviceBytes));
  }

  /** A search behind the caches begins; returns what {@link #searchEnds} wants to know. */
  public long searchBegins() {
    // A linear congruence (Knuth's multiplier), of which the upper bits count.
    draw = draw * 1664525 + 1013904223;
    return ((draw >>> 16) & (TIMED_SHARE - 1)) == 0 ? clock.getAsLong() : NOT_TIMED;
  }

  /**
   * It has ended.
   *
   * @return whether it is time to judge
   */
  public boolean searchEnds(long begin) {
    if (begin == NOT_TIMED) {
      return false;
    }
    long took = clock.getAsLong() - begin;
    searches.add(TIMED_SHARE);
    nanos.add(took * TIMED_SHARE);
    return took % ASKING == 0;
  }

  /**
   * Looks how the time since the last judgement was spent.
   *
   * @param stripes counts those that were used since it was last asked, at least 1; asked when what
   *     is earned changes, so that none has a share that only lies there
   */
  public synchronized void judge(IntSupplier stripes) {
    long now = clock.getAsLong();
    long wall = now - judgedAt;
    long newSearches = searches.sum() - judgedSearches;
    if (wall < JUDGED_NANOS || (newSearches < JUDGED_SEARCHES && wall < LONGEST_NANOS)) {
      return;
    }
    long spent = nanos.sum() - judgedNanos;
    judgedSearches += newSearches;
    judgedNanos += spent;
    judgedAt = now;
    int share = earned > 0 ? EARNING_SHARE : BEGINNING_SHARE;
    busyTimes = newSearches >= JUDGED_SEARCHES && spent > wall / share ? busyTimes + 1 : 0;
    if (busyTimes > 1) {
      earn(earned + most() / STEPS, stripes);
    } else if (spent < wall / CALM_SHARE) {
      earn(earned / 2, stripes);
    }
  }

  private void earn(long bytes, IntSupplier stripes) {
    earned = Math.min(most(), bytes);
    earnedRoom = earned == 0 ? 0 : earned / stripes.getAsInt();
  }

  /**
   * Nothing near the limit: caches with earned room hand out blocks larger than asked for, and what
   * these waste would be missing when all else is in use.
   */
  private long most() {
    long users = live.getAsLong();
    return isLittle(users, books.limitOfAll()) ? (long) (largestShare * users) : 0;
  }

  /**
   * Whether users are far from what they may hold: those of all pools from a limit, those of this
   * pool from its own.
   */
  private boolean isLittle(long users, long limit) {
    return users <= limit / LIMIT_PARTS && ownLive.getAsLong() <= books.ownLimit() / LIMIT_PARTS;
  }

  /**
   * Whether so much may be reserved while the caches stay filled.
   *
   * @param bytes of the block that is wanted, more than 0
   */
  public boolean covers(long bytes) {
    return bytes <= room();
  }

  /** Bytes that may still be reserved while the caches stay filled. */
  public long room() {
    long room = earned;
    return room == 0 ? 0 : Math.max(0, live.getAsLong() + room - books.reserved());
  }

  /** Memory is short or wanted back: everything is to be earned anew. */
  public synchronized void forfeit() {
    earned = 0;
    earnedRoom = 0;
    busyTimes = 0;
  }
}
