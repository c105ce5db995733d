package org.vramkit.pool.caching.internal.arena;

import org.vramkit.pool.caching.SizeStatistics;
import org.vramkit.pool.caching.SizeStatistics.Share;
import org.vramkit.pool.caching.internal.cache.ThreadCache;
import org.vramkit.pool.caching.internal.stats.TagSums;
import org.vramkit.pool.caching.internal.stats.ThreadCacheStatistics;

/** What the books of some stripes say together. Not safe for threads. */
final class StatisticsSum {
  long requestedAdded;
  long requestedRemoved;
  long allocatedAdded;
  long allocatedRemoved;
  long allocations;
  long frees;
  long searched;
  long misses;

  // The part of large requests.
  private long largeRequested;
  private long largeAllocated;
  private long largeBlocks;
  private long largeAllocations;

  // Of each stripe; together no less than the most that was live at once.
  long requestedPeaks;
  long allocatedPeaks;
  long countPeaks;

  final TagSums tags = new TagSums();

  /** Adds a stripe, which is locked. */
  void add(ThreadCache stripe) {
    ThreadCacheStatistics books = stripe.books;
    requestedAdded += books.requestedAdded;
    requestedRemoved += books.requestedRemoved;
    allocatedAdded += books.allocatedAdded;
    allocatedRemoved += books.allocatedRemoved;
    allocations += books.allocations;
    frees += books.frees;
    searched += books.searched;
    misses += books.misses;
    largeRequested += books.largeRequestedAdded - books.largeRequestedRemoved;
    largeAllocated += books.largeAllocatedAdded - books.largeAllocatedRemoved;
    largeBlocks += books.largeAllocations - books.largeFrees;
    largeAllocations += books.largeAllocations;
    requestedPeaks += books.requestedPeak();
    allocatedPeaks += books.allocatedPeak();
    countPeaks += books.countPeak();
    tags.add(stripe.tags());
  }

  void add(StatisticsSum other) {
    requestedAdded += other.requestedAdded;
    requestedRemoved += other.requestedRemoved;
    allocatedAdded += other.allocatedAdded;
    allocatedRemoved += other.allocatedRemoved;
    allocations += other.allocations;
    frees += other.frees;
    searched += other.searched;
    misses += other.misses;
    largeRequested += other.largeRequested;
    largeAllocated += other.largeAllocated;
    largeBlocks += other.largeBlocks;
    largeAllocations += other.largeAllocations;
    tags.add(other.tags);
    addOwnPeaks(other);
  }

  void addPeaks(StatisticsSum other) {
    addOwnPeaks(other);
    tags.addPeaks(other.tags);
  }

  private void addOwnPeaks(StatisticsSum other) {
    requestedPeaks += other.requestedPeaks;
    allocatedPeaks += other.allocatedPeaks;
    countPeaks += other.countPeaks;
  }

  /** Adds by how much the peaks of a stripe, which is locked, are above what is live in it. */
  void addPeaksAboveLive(ThreadCache stripe) {
    tags.addPeaksAboveLive(stripe.tags());
    ThreadCacheStatistics books = stripe.books;
    requestedPeaks += books.requestedPeak() - books.requested();
    allocatedPeaks += books.allocatedPeak() - books.allocated();
    countPeaks += books.countPeak() - books.count();
  }

  void resetPeaks() {
    requestedPeaks = 0;
    allocatedPeaks = 0;
    countPeaks = 0;
    tags.resetPeaks();
  }

  /**
   * What is held of either size, and how many allocations there were since an earlier sum.
   *
   * @param before that sum
   */
  SizeStatistics bySize(StatisticsSum before) {
    long ofLarge = largeAllocations - before.largeAllocations;
    return new SizeStatistics(
        new Share(
            requestedAdded - requestedRemoved - largeRequested,
            allocatedAdded - allocatedRemoved - largeAllocated,
            allocations - frees - largeBlocks,
            allocations - before.allocations - ofLarge),
        new Share(largeRequested, largeAllocated, largeBlocks, ofLarge));
  }
}
