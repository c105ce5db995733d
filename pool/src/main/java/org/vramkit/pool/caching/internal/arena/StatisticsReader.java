package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Stat;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.pool.caching.SizeStatistics;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.StreamCaches;
import org.vramkit.pool.caching.internal.cache.ThreadCache;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.PendingBlocks;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;
import org.vramkit.pool.caching.internal.stats.ThreadCacheStatistics;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.Streams;

/**
 * Sums up the statistics of a pool. Those of the default pool include private pools, so that they
 * cover all memory of an allocator.
 *
 * <p>Locks stripes and heaps one after the other, never two at once. The monitor of {@code retired}
 * guards its sums. It is also held while sums are taken, so that no stream or pool is removed
 * meanwhile. It comes before the locks of stripes; the monitor of the default pool comes before
 * those of other pools.
 */
public final class StatisticsReader {
  private final StreamCaches streams;
  private final Heap heap;
  private final PendingBlocks pending;
  private final UsageGauge gauge;

  /** Supplies the readers of the pools whose counts are included. */
  private final Supplier<List<StatisticsReader>> inner;

  /** The counts of closed streams and pools that were removed. */
  private final ThreadCacheStatistics retired = ThreadCacheStatistics.sum();

  /** The counts at the last reset. */
  private volatile History before = new History(ThreadCacheStatistics.sum(), 0);

  /**
   * The counts up to a moment.
   *
   * @param sum the counts, which no longer change
   * @param pendingBytes bytes of closed blocks that waited for streams
   */
  private record History(ThreadCacheStatistics sum, long pendingBytes) {}

  /**
   * Creates the reader of a pool.
   *
   * @param inner supplies the readers of private pools to the default pool, and none to private
   *     pools
   */
  StatisticsReader(
      Heap heap,
      StreamCaches streams,
      PendingBlocks pending,
      UsageGauge gauge,
      Supplier<List<StatisticsReader>> inner) {
    this.heap = heap;
    this.streams = streams;
    this.pending = pending;
    this.gauge = gauge;
    this.inner = inner;
  }

  private long sumOfInner(ToLongFunction<StatisticsReader> figure) {
    return inner.get().stream().mapToLong(figure).sum();
  }

  private static ThreadCacheStatistics sumOf(StreamCache caches) {
    ThreadCacheStatistics sum = ThreadCacheStatistics.sum();
    caches.eachStripe(stripe -> sum.add(stripe.stats));
    return sum;
  }

  private ThreadCacheStatistics sumOfAll() {
    ThreadCacheStatistics sum = ThreadCacheStatistics.sum();
    // A stream that is retired meanwhile would count twice, or not at all.
    synchronized (retired) {
      sum.add(retired);
      for (StreamCache each : streams.all()) {
        sum.add(sumOf(each));
      }
      for (StatisticsReader each : inner.get()) {
        sum.add(each.sumOfAll());
      }
    }
    return sum;
  }

  /** Returns whether no block of the stream is live or pending. */
  boolean holdsNothing(StreamCache caches) {
    ThreadCacheStatistics sum = sumOf(caches);
    return sum.allocations == sum.frees && pending.bytesOf(caches) == 0;
  }

  /**
   * Adds the counts of closed streams to the retired ones.
   *
   * @param forgetting removes the streams from the pool
   */
  void retire(List<StreamCache> closed, Runnable forgetting) {
    closed.forEach(each -> each.eachStripe(ThreadCache::end));
    synchronized (retired) {
      closed.forEach(each -> retired.add(sumOf(each)));
      forgetting.run();
    }
    gauge.forgetSettled();
  }

  /**
   * Adds the counts of an ended pool, which holds nothing, to the retired ones.
   *
   * @param forgetting removes the pool from the registry
   */
  public void retire(StatisticsReader ended, Runnable forgetting) {
    ended.streams.all().forEach(each -> each.eachStripe(ThreadCache::end));
    synchronized (retired) {
      retired.add(ended.sumOfAll());
      forgetting.run();
    }
    gauge.forgetSettled();
  }

  /** Resets each peak to the current value. */
  public void resetPeaks() {
    resetPeaks(ReservedMemory::resetPeaks);
  }

  /** Resets each peak to the current value, and totals and counts to 0. Current values stay. */
  public void resetHistory() {
    resetPeaks(ReservedMemory::resetHistory);
    before = new History(sumOfAll(), gauge.pendingBytes());
  }

  private void resetPeaks(Consumer<ReservedMemory> reset) {
    streams.all().forEach(each -> each.eachStripe(stripe -> stripe.stats.settle()));
    gauge.resetPeaks();
    heap.growth.change(
        () -> {
          reset.accept(heap.stats);
          return reset;
        });
  }

  public SizeStatistics readBySize() {
    return sumOfAll().bySize(before.sum);
  }

  /** Returns the number of allocations that searched the heap, or ran out of memory. */
  public long searches() {
    return sumOfAll().searched - before.sum.searched + heap.stats.outOfMemories.read().added();
  }

  public AllocatorStatistics read() {
    ThreadCacheStatistics sum = sumOfAll();
    History then = before;
    ThreadCacheStatistics old = then.sum;
    List<StreamStatistics> streams = streams();
    UsageGauge.Peaks peaks = gauge.peaks();
    long pendingBytes = gauge.pendingBytes();
    ReservedMemory stats = heap.stats;
    Stat segments = stats.segmentsStat();
    // Claims of thread caches may make peaks too high, but never more than was reserved.
    long activePeak = Math.min(peaks.active(), stats.reservedStat().peak());
    return new AllocatorStatistics(
        stat(
            new Sides(sum.requestedAdded, sum.requestedRemoved),
            new Sides(old.requestedAdded, old.requestedRemoved),
            Math.min(peaks.requested(), activePeak)),
        stat(
            new Sides(sum.allocatedAdded, sum.allocatedRemoved),
            new Sides(old.allocatedAdded, old.allocatedRemoved),
            Math.min(peaks.allocated(), activePeak)),
        stat(
            new Sides(sum.allocatedAdded, sum.allocatedRemoved - pendingBytes),
            new Sides(old.allocatedAdded, old.allocatedRemoved - then.pendingBytes),
            activePeak),
        stats.reservedStat(),
        stat(
            new Sides(sum.allocations, sum.frees),
            new Sides(old.allocations, old.frees),
            peaks.blocks()),
        segments,
        streams.stream().mapToLong(StreamStatistics::cachedBytes).sum(),
        streams.stream().mapToLong(StreamStatistics::fragmentBytes).sum(),
        stats.suspended(),
        freeBlocks(),
        sum.allocations - sum.misses - (old.allocations - old.misses),
        sum.allocations - sum.searched - (old.allocations - old.searched),
        sum.misses - old.misses,
        segments.added(),
        segments.removed(),
        stats.decayedBytes.read().added(),
        stats.pagesMoved.read().added(),
        heap.budget.read(),
        stats.synchronizations.read().added(),
        stats.steals.read().added(),
        stats.retries.read().added(),
        stats.outOfMemories.read().added(),
        stats.rejections.read().added(),
        stats.leaks.read().added(),
        streams,
        sum.usagesByTag(old, gauge));
  }

  /** The total of additions and of removals. */
  private record Sides(long added, long removed) {}

  private static Stat stat(Sides now, Sides before, long peak) {
    long current = now.added - now.removed;
    return new Stat(
        current, Math.max(peak, current), now.added - before.added, now.removed - before.removed);
  }

  /** Returns the bytes of live blocks. */
  public long liveBytes() {
    ThreadCacheStatistics sum = sumOfAll();
    return sum.allocatedAdded - sum.allocatedRemoved;
  }

  /**
   * Returns a lower bound of the reserved bytes of live blocks: at some moment of the call at least
   * as many were live. Blocks that are allocated or closed during the call, and suspended blocks,
   * do not count.
   */
  long leastLiveBytes() {
    long suspended = heap.stats.suspended();
    long added = sumOfAll().allocatedAdded;
    return Math.max(0, added - sumOfAll().allocatedRemoved - suspended);
  }

  /** Returns the number of live allocations. */
  public long liveCount() {
    ThreadCacheStatistics sum = sumOfAll();
    return sum.allocations - sum.frees;
  }

  /** Returns whether the pool has no memory, and no live or pending block. */
  public boolean isNothingHeld() {
    return liveCount() == 0 && pending.isEmpty() && heap.stats.held() == 0;
  }

  /** Returns the shares of all streams, by the handles of streams, and of settled memory. */
  List<StreamStatistics> streams() {
    Map<String, StreamStatistics> shares = new LinkedHashMap<>();
    addShares(shares);
    List<StreamStatistics> streams = new ArrayList<>(shares.values());
    streams.add(new StreamStatistics("shared", 0, 0, sharedBytes()));
    return streams;
  }

  private void addShares(Map<String, StreamStatistics> shares) {
    for (StreamCache each : streams.all()) {
      StreamStatistics share = shareOf(each);
      // Memory may outlive a closed stream, whose handle the driver may have given to a new stream.
      shares.merge(share.stream(), share, StatisticsReader::plus);
    }
    inner.get().forEach(each -> each.addShares(shares));
  }

  private long sharedBytes() {
    return heap.unplacedBytes() + heap.settledBytes() + sumOfInner(StatisticsReader::sharedBytes);
  }

  private StreamStatistics shareOf(StreamCache each) {
    ThreadCacheStatistics sum = sumOf(each);
    return new StreamStatistics(
        Streams.nameOf(each.stream),
        sum.allocatedAdded - sum.allocatedRemoved + pending.bytesOf(each),
        each.cachedBytes(),
        heap.unsettledBytes(each));
  }

  private static StreamStatistics plus(StreamStatistics one, StreamStatistics other) {
    return new StreamStatistics(
        one.stream(),
        one.liveBytes() + other.liveBytes(),
        one.cachedBytes() + other.cachedBytes(),
        one.fragmentBytes() + other.fragmentBytes());
  }

  private long freeBlocks() {
    long cached = streams.all().stream().mapToLong(StreamCache::cachedBlocks).sum();
    return cached + heap.countFree(streams.all()) + sumOfInner(StatisticsReader::freeBlocks);
  }
}
