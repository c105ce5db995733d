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
 * Counts what the threads of one cache took and gave back. Guarded by the cache's lock; sums over
 * all caches are exact at a quiet moment.
 *
 * <p>Peaks are of all caches together, in a {@link UsageGauge}, where this cache has claims. A call
 * that leaves what is live between what is claimed and some less counts here, and touches nothing
 * that other threads use.
 */
public final class ThreadCacheStatistics extends Padded {
  /** The lock of a cache. */
  public interface Lock {
    /** Takes it, unless it is taken. */
    boolean tryLock();

    /** Lets it go. */
    void unlock();
  }

  public long requestedAdded;
  public long requestedRemoved;
  public long allocatedAdded;
  public long allocatedRemoved;
  public long allocations;
  public long frees;

  /** Of the allocations, those that no cache served. */
  public long searched;

  /** Of these, those for which memory was taken or moved. */
  public long misses;

  // The part of requests above SizeRules.SMALL_LIMIT: what is live, and how many there ever were.
  long largeRequested;
  long largeAllocated;
  long largeBlocks;
  long largeAllocations;

  /** Chunks in the room of a cache that has grown. */
  private static final int CHUNKS = 8;

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

  // Above an upper bound something is not claimed; below a lower one too much is.
  private long upperRequested;
  private long upperAllocated;
  private long upperBlocks;
  private long lowerRequested;
  private long lowerAllocated;
  private long lowerBlocks;

  private final UsageGauge gauge;
  final Lock lock;
  private long roomBytes;

  /** By quantity; changed under the monitor of the gauge too. */
  final long[] claimed = new long[UsageGauge.CLAIMED];

  /** Whether the gauge knows that more may be claimed than is live. */
  boolean listed;

  /** The next one that the gauge knows of. */
  @Nullable ThreadCacheStatistics nextListed;

  /** Null until the first tag. */
  private @Nullable Map<String, TagAccount> tags;

  /** The account that was asked for last: a thread mostly stays with a tag for a while. */
  private @Nullable TagAccount newestTag;

  /** Sums what several caches have counted; not safe for threads. */
  public static ThreadCacheStatistics sum() {
    return new ThreadCacheStatistics(NO_GAUGE, NO_LOCK);
  }

  /** Counts for a cache with this lock. */
  public ThreadCacheStatistics(UsageGauge gauge, Lock lock) {
    this.gauge = gauge;
    this.lock = lock;
  }

  /** Counts a block that is handed out. */
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

  /** Counts a block that is free again. */
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

  /** Counts a block that is closed, and waits for other streams. */
  public void discharged(long requested, long size) {
    countFree(requested, size);
    gauge.discharge(this, size);
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

  /** Keeps some of a claim: a block of up to two chunks is taken again without the gauge. */
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

  /** Makes all claims what is live. */
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

  /** The most bytes or blocks that the cache may have freed and still claims. */
  private long mostUnused(int quantity) {
    return 2 * chunk(quantity);
  }

  /** Bytes or blocks that are claimed ahead at most. */
  long chunk(int quantity) {
    long least = gauge.chunk(quantity);
    return quantity == UsageGauge.BLOCKS ? least : Math.max(least, roomBytes / CHUNKS);
  }

  /**
   * Follows the room of a cache that has grown, 0 for others: it claims more, and comes less often.
   */
  public void setRoom(long bytes) {
    roomBytes = bytes;
  }

  private long unusedBound(int quantity) {
    return listed ? mostUnused(quantity) : 0;
  }

  /** What is live of a quantity. */
  long live(int quantity) {
    return switch (quantity) {
      case UsageGauge.REQUESTED -> requested();
      case UsageGauge.ALLOCATED -> allocated();
      default -> blocks();
    };
  }

  /** By how much what is live exceeds the claim; negative where something is claimed ahead. */
  long unclaimed(int quantity) {
    return live(quantity) - claimed[quantity];
  }

  /** The account of a tag, made where there is none; may need memory of the JVM. */
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
      String name = gauge.tags.nameOf(tag);
      found = known.computeIfAbsent(name, key -> new TagAccount(key, gauge.tags.of(key)));
    }
    newestTag = found;
    return found;
  }

  /**
   * The usage of each tag, by most live bytes.
   *
   * @param before an earlier sum, since which allocations count
   * @param gauges the peaks
   */
  public List<TagUsage> usagesByTag(ThreadCacheStatistics before, TagGauges gauges) {
    if (tags == null) {
      return List.of();
    }
    Map<String, TagAccount> then = before.tags == null ? Map.of() : before.tags;
    return tags.values().stream()
        .map(each -> each.usage(then.getOrDefault(each.tag, TagAccount.NONE), gauges))
        .sorted(
            Comparator.comparingLong(TagUsage::liveBytes).reversed().thenComparing(TagUsage::tag))
        .toList();
  }

  /** Adds what another one has counted. */
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

  /** Bytes that were asked for and are live. */
  public long requested() {
    return requestedAdded - requestedRemoved;
  }

  /** Bytes of live blocks. */
  public long allocated() {
    return allocatedAdded - allocatedRemoved;
  }

  /** Live blocks. */
  public long blocks() {
    return allocations - frees;
  }

  /** What is live of either size, and how many allocations there were since an earlier sum. */
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
