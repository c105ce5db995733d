package org.vramkit.pool.caching.internal.stats;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.pool.support.Padded;

/**
 * Counts the allocations and frees of a thread cache. Guarded by the cache's lock. Sums over all
 * caches are exact while no thread allocates.
 *
 * <p>Peaks are counted for all caches together, by {@link UsageGauge.Claims}. A cache claims the
 * maximum of its live bytes since blocks last left it, and never more than its live and cached
 * bytes.
 */
public final class ThreadCacheStatistics extends Padded {
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

  private long claimedRequested;
  private long claimedAllocated;
  private long claimedBlocks;

  private final UsageGauge gauge;

  private static final UsageGauge NO_GAUGE = new UsageGauge();

  /** The accounts by tag; null until the first tag. */
  private @Nullable Map<String, TagAccount> tags;

  /** The account used last, because a thread mostly stays with a tag. */
  private @Nullable TagAccount newestTag;

  /** Creates a sum of several caches. Not thread-safe. */
  public static ThreadCacheStatistics sum() {
    return new ThreadCacheStatistics(NO_GAUGE);
  }

  public ThreadCacheStatistics(UsageGauge gauge) {
    this.gauge = gauge;
  }

  public void allocated(long requested, long size) {
    requestedAdded += requested;
    allocatedAdded += size;
    allocations++;
    long spare =
        (claimedRequested - requestedAdded + requestedRemoved)
            | (claimedAllocated - allocatedAdded + allocatedRemoved)
            | (claimedBlocks - allocations + frees);
    if (spare < 0) {
      claim(
          Math.max(claimedRequested, requested()),
          Math.max(claimedAllocated, allocated()),
          Math.max(claimedBlocks, blocks()));
    }
  }

  public void freed(long requested, long size) {
    requestedRemoved += requested;
    allocatedRemoved += size;
    frees++;
  }

  /** Counts the close of a block that becomes pending: it leaves the cache and stays active. */
  public void freedPending(long requested, long size) {
    freed(requested, size);
    claimedRequested = gauge.requested.move(claimedRequested, claimedRequested - requested);
    claimedAllocated = gauge.allocated.move(claimedAllocated, claimedAllocated - size);
    claimedBlocks = gauge.blocks.move(claimedBlocks, claimedBlocks - 1);
  }

  /**
   * Lowers the claims after blocks have left the cache.
   *
   * @param cachedBytes bytes of the blocks that are still there, which may be allocated at once
   */
  public void left(long cachedBytes, long cachedBlocks) {
    claim(
        Math.min(claimedRequested, requested() + cachedBytes),
        Math.min(claimedAllocated, allocated() + cachedBytes),
        Math.min(claimedBlocks, blocks() + cachedBlocks));
  }

  /** Sets all claims to the live values, before peaks are reset. */
  public void settle() {
    left(0, 0);
    if (tags != null) {
      tags.values().forEach(TagAccount::settle);
    }
  }

  private void claim(long requested, long allocated, long blocks) {
    claimedRequested = gauge.requested.move(claimedRequested, requested);
    gauge.active.move(claimedAllocated, allocated);
    claimedAllocated = gauge.allocated.move(claimedAllocated, allocated);
    claimedBlocks = gauge.blocks.move(claimedBlocks, blocks);
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

  public void add(ThreadCacheStatistics other) {
    requestedAdded += other.requestedAdded;
    requestedRemoved += other.requestedRemoved;
    allocatedAdded += other.allocatedAdded;
    allocatedRemoved += other.allocatedRemoved;
    allocations += other.allocations;
    frees += other.frees;
    searched += other.searched;
    misses += other.misses;
    if (other.tags != null) {
      Map<String, TagAccount> sums = tags == null ? new HashMap<>() : tags;
      tags = sums;
      for (TagAccount each : other.tags.values()) {
        sums.computeIfAbsent(each.tag, TagAccount::sumOf).add(each);
      }
    }
  }

  public long requested() {
    return requestedAdded - requestedRemoved;
  }

  /** Returns the bytes of live blocks. */
  public long allocated() {
    return allocatedAdded - allocatedRemoved;
  }

  public long blocks() {
    return allocations - frees;
  }
}
