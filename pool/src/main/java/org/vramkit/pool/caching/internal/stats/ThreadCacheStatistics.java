package org.vramkit.pool.caching.internal.stats;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.pool.caching.SizeStatistics;
import org.vramkit.pool.caching.SizeStatistics.Share;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.support.Padded;

/**
 * Counts the allocations and frees of a thread cache. Guarded by the cache's lock. Sums over all
 * caches are exact while no thread allocates.
 *
 * <p>Peaks are counted for all caches together, in a {@link UsageGauge}, where this cache has a
 * claim. While the live bytes stay near the claim, no data of other threads is accessed.
 */
public final class ThreadCacheStatistics extends Padded {
  /** The lock of a thread cache. */
  public interface Lock {
    /** Takes the lock unless it is taken. */
    boolean tryLock();

    /** Releases the lock. */
    void unlock();
  }

  public long requestedAdded;
  public long requestedRemoved;
  public long allocatedAdded;
  public long allocatedRemoved;
  public long allocations;
  public long frees;

  /** Allocations that no cache served. */
  public long searched;

  /** Allocations for which memory was taken or moved. */
  public long misses;

  // Requests above SizeRules.SMALL_LIMIT: live figures, and the number of allocations so far.
  long largeRequested;
  long largeAllocated;
  long largeBlocks;
  long largeAllocations;

  /** The step of a cache's claims is at least 1/{@value} of its live bytes. */
  private static final int LIVE_PARTS = 16;

  private static final UsageGauge NO_GAUGE = new UsageGauge(0);

  private static final Lock NO_LOCK =
      new Lock() {
        @Override
        public boolean tryLock() {
          return false;
        }

        @Override
        public void unlock() {}
      };

  // Above an upper bound the claim is too small; below a lower bound it is too large.
  private long upperRequested;
  private long upperAllocated;
  private long upperBlocks;
  private long lowerRequested;
  private long lowerAllocated;
  private long lowerBlocks;

  private final UsageGauge gauge;
  final Lock lock;

  /** The claim by quantity; changed under the monitor of the gauge as well. */
  final long[] claimed = new long[UsageGauge.CLAIMED];

  /** True if the gauge lists this cache, which may claim more than is live. */
  boolean listed;

  /** The next listed cache. */
  @Nullable ThreadCacheStatistics nextListed;

  /** The accounts by tag; null until the first tag. */
  private @Nullable Map<String, TagAccount> tags;

  /** The account used last, because a thread mostly stays with a tag. */
  private @Nullable TagAccount newestTag;

  /** Creates a sum of several caches. Not thread-safe. */
  public static ThreadCacheStatistics sum() {
    return new ThreadCacheStatistics(NO_GAUGE, NO_LOCK);
  }

  /** Creates the statistics of a cache with a lock. */
  public ThreadCacheStatistics(UsageGauge gauge, Lock lock) {
    this.gauge = gauge;
    this.lock = lock;
  }

  /** Counts an allocation. */
  public void allocated(long requested, long size) {
    requestedAdded += requested;
    allocatedAdded += size;
    allocations++;
    if (requested > SizeRules.SMALL_LIMIT) {
      largeRequested += requested;
      largeAllocated += size;
      largeBlocks++;
      largeAllocations++;
    }
    long spare =
        (upperRequested - requestedAdded + requestedRemoved)
            | (upperAllocated - allocatedAdded + allocatedRemoved)
            | (upperBlocks - allocations + frees);
    if (spare < 0) {
      gauge.cover(this);
      setBounds();
    }
  }

  /** Counts a free. */
  public void freed(long requested, long size) {
    countFree(requested, size);
    long above =
        (requestedAdded - requestedRemoved - lowerRequested)
            | (allocatedAdded - allocatedRemoved - lowerAllocated)
            | (allocations - frees - lowerBlocks);
    if (above < 0) {
      giveBackExcess(size);
    }
  }

  /** Counts the close of a block that becomes pending. */
  public void freedPending(long requested, long size) {
    countFree(requested, size);
    gauge.pendingAdded(this, size);
    gauge.list(this);
    setBounds();
  }

  private void countFree(long requested, long size) {
    requestedRemoved += requested;
    allocatedRemoved += size;
    frees++;
    if (requested > SizeRules.SMALL_LIMIT) {
      largeRequested -= requested;
      largeAllocated -= size;
      largeBlocks--;
    }
  }

  /** Reduces the claim, but keeps some of it for the next allocation. */
  private void giveBackExcess(long freed) {
    gauge.list(this);
    for (int i = 0; i < UsageGauge.CLAIMED; i++) {
      long most = mostUnused(i);
      long kept = i == UsageGauge.BLOCKS ? most / 2 : Math.max(most / 2, Math.min(most, freed));
      if (-unclaimed(i) > most) {
        gauge.claim(this, i, unclaimed(i) + kept);
      }
    }
    setBounds();
  }

  /** Sets all claims to the live values. */
  public void settle() {
    settleClaims();
    if (tags != null) {
      tags.values().forEach(TagAccount::settle);
    }
  }

  void settleClaims() {
    for (int i = 0; i < UsageGauge.CLAIMED; i++) {
      gauge.claim(this, i, unclaimed(i));
    }
    setBounds();
  }

  private void setBounds() {
    upperRequested = claimed[UsageGauge.REQUESTED];
    upperAllocated = claimed[UsageGauge.ALLOCATED];
    upperBlocks = claimed[UsageGauge.BLOCKS];
    lowerRequested = upperRequested - unusedBound(UsageGauge.REQUESTED);
    lowerAllocated = upperAllocated - unusedBound(UsageGauge.ALLOCATED);
    lowerBlocks = upperBlocks - unusedBound(UsageGauge.BLOCKS);
  }

  /** Returns the most bytes or blocks that the cache may claim beyond its live ones. */
  private long mostUnused(int quantity) {
    return 2 * chunk(quantity);
  }

  /** Returns the most bytes or blocks that the cache claims ahead. */
  long chunk(int quantity) {
    long least = gauge.chunk(quantity);
    return least == 0 ? 0 : Math.max(least, live(quantity) / LIVE_PARTS);
  }

  private long unusedBound(int quantity) {
    return listed ? mostUnused(quantity) : 0;
  }

  /** Returns the live value of a quantity. */
  long live(int quantity) {
    return switch (quantity) {
      case UsageGauge.REQUESTED -> requested();
      case UsageGauge.ALLOCATED -> allocated();
      default -> blocks();
    };
  }

  /** Returns by how much the live value exceeds the claim; negative if it is less. */
  long unclaimed(int quantity) {
    return live(quantity) - claimed[quantity];
  }

  /** Returns the account of a tag, which is created if it is new. */
  @SuppressWarnings("ReferenceEquality") // nearly always the same object, and then nothing is read
  public TagAccount accountOf(String tag) {
    TagAccount last = newestTag;
    if (last != null && last.tag == tag) {
      return last;
    }
    Map<String, TagAccount> known = tags == null ? new HashMap<>() : tags;
    tags = known;
    TagAccount found = known.get(tag);
    if (found == null) {
      String name = gauge.nameOf(tag);
      found = known.computeIfAbsent(name, key -> new TagAccount(key, gauge.ofTag(key)));
    }
    newestTag = found;
    return found;
  }

  /**
   * Returns the usage of each tag, the most live bytes first.
   *
   * @param before an earlier sum; allocations count from there
   */
  public List<TagUsage> usagesByTag(ThreadCacheStatistics before, UsageGauge peaks) {
    if (tags == null) {
      return List.of();
    }
    Map<String, TagAccount> then = before.tags == null ? Map.of() : before.tags;
    return tags.values().stream()
        .map(each -> each.usage(then.getOrDefault(each.tag, TagAccount.NONE), peaks))
        .sorted(
            Comparator.comparingLong(TagUsage::liveBytes).reversed().thenComparing(TagUsage::tag))
        .toList();
  }

  /** Adds the counts of another cache. */
  public void add(ThreadCacheStatistics other) {
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
    if (other.tags != null) {
      Map<String, TagAccount> sums = tags == null ? new HashMap<>() : tags;
      tags = sums;
      for (TagAccount each : other.tags.values()) {
        sums.computeIfAbsent(each.tag, TagAccount::sumOf).add(each);
      }
    }
  }

  /** Returns the live requested bytes. */
  public long requested() {
    return requestedAdded - requestedRemoved;
  }

  /** Returns the bytes of live blocks. */
  public long allocated() {
    return allocatedAdded - allocatedRemoved;
  }

  /** Returns the number of live blocks. */
  public long blocks() {
    return allocations - frees;
  }

  /** Returns the statistics of small and large requests; allocations count from an earlier sum. */
  public SizeStatistics bySize(ThreadCacheStatistics before) {
    long ofLarge = largeAllocations - before.largeAllocations;
    return new SizeStatistics(
        new Share(
            requested() - largeRequested,
            allocated() - largeAllocated,
            blocks() - largeBlocks,
            allocations - before.allocations - ofLarge),
        new Share(largeRequested, largeAllocated, largeBlocks, ofLarge));
  }
}
