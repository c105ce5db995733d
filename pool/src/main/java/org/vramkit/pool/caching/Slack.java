package org.vramkit.pool.caching;

import java.util.function.LongSupplier;

/**
 * How much memory growth may create although free pages could be moved instead. A page that moves
 * costs the driver twice what a new one costs, over and over; a new one stays reserved.
 */
final class Slack {
  private final double share;
  private final MemoryBooks books;
  private final LongSupplier mostLive;
  private final LongSupplier earned;

  /**
   * Room relative to the most that was live.
   *
   * @param share of {@code mostLive}, at least 0; 0 gives none but what is earned
   * @param mostLive the most bytes that users held at once; may be a little too many
   * @param earned bytes that may be reserved because time counts more than memory at the moment
   */
  Slack(double share, MemoryBooks books, LongSupplier mostLive, LongSupplier earned) {
    this.share = share;
    this.books = books;
    this.mostLive = mostLive;
    this.earned = earned;
  }

  /** Bytes that may be created before pages are moved. */
  long room() {
    return Math.max(ownRoom(), earned.getAsLong());
  }

  private long ownRoom() {
    long most = mostLive.getAsLong();
    long slack = (long) (share * most);
    return slack == 0 ? 0 : Math.max(0, most + slack - books.reserved());
  }
}
