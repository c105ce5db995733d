package org.vramkit.pool.caching.internal.stats;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.TagUsage;

/** What the accounts of some stripes say together, by tag. Not safe for threads. */
public final class TagSums {
  private static final Sum NOTHING = new Sum();

  private static final class Sum {
    long live;
    long peaks;
    long allocations;
    long allocated;

    void add(Sum other) {
      live += other.live;
      peaks += other.peaks;
      allocations += other.allocations;
      allocated += other.allocated;
    }
  }

  private final Map<String, Sum> sums = new HashMap<>();

  /** Adds the accounts of a stripe, which is locked. */
  public void add(@Nullable TagAccounts accounts) {
    if (accounts == null) {
      return;
    }
    accounts.each(
        each -> {
          Sum sum = of(each.tag);
          sum.live += each.live();
          sum.peaks += each.peak();
          sum.allocations += each.allocations;
          sum.allocated += each.addedBytes;
        });
  }

  public void add(TagSums other) {
    other.sums.forEach((tag, sum) -> of(tag).add(sum));
  }

  /** Adds by how much the peaks of a stripe, which is locked, are above what is live in it. */
  public void addPeaksAboveLive(@Nullable TagAccounts accounts) {
    if (accounts != null) {
      accounts.each(each -> of(each.tag).peaks += each.peak() - each.live());
    }
  }

  public void addPeaks(TagSums other) {
    other.sums.forEach((tag, sum) -> of(tag).peaks += sum.peaks);
  }

  public void resetPeaks() {
    sums.values().forEach(each -> each.peaks = 0);
  }

  private Sum of(String tag) {
    return sums.computeIfAbsent(tag, added -> new Sum());
  }

  /**
   * The share of each tag, by most live bytes.
   *
   * @param before what had happened when counting began
   * @param gauges of all pools
   */
  public List<TagUsage> read(TagSums before, TagGauges gauges) {
    List<TagUsage> usages = new ArrayList<>(sums.size());
    sums.forEach(
        (tag, sum) -> {
          Sum then = before.sums.getOrDefault(tag, NOTHING);
          usages.add(
              new TagUsage(
                  tag,
                  sum.live,
                  Math.max(sum.live, Math.min(sum.peaks, gauges.peakOf(tag))),
                  sum.allocations - then.allocations,
                  sum.allocated - then.allocated));
        });
    usages.sort(
        Comparator.comparingLong(TagUsage::liveBytes).reversed().thenComparing(TagUsage::tag));
    return usages;
  }
}
