package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Stat;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.pool.caching.SizeStatistics;
import org.vramkit.pool.caching.internal.cache.CachingAllocation;
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
 * Sums up the statistics of a pool. The statistics of the default pool include those of private
 * pools, so that an allocator's statistics cover all of its memory. Locks each stripe, cache and
 * heap in turn, never two at once. The monitor of {@code retired} guards its sums, and that nothing
 * is forgotten while sums are taken; it comes before the locks of stripes, and that of the default
 * pool before those of others.
 */
public final class StatisticsReader {
  private final StreamCaches streams;
  private final Heap heap;
  private final PendingBlocks pending;
  private final UsageGauge gauge;

  private final LongSupplier suspended;

  /** Supplies the readers of the pools that count as a part of this one. */
  private final Supplier<List<StatisticsReader>> inner;

  /** The counts of closed streams and pools that were removed. */
  private final ThreadCacheStatistics retired = ThreadCacheStatistics.sum();

  /** The counts at the last reset. */
  private volatile History before = new History(ThreadCacheStatistics.sum(), 0);

  /**
   * The counts up to a moment.
   *
   * @param sum that is not changed any more
   * @param pendingBytes that were closed and still active
   */
  private record History(ThreadCacheStatistics sum, long pendingBytes) {}

  /**
   * Reads what a pool has counted.
   *
   * @param suspended supplies the bytes of the pool's memory that are away
   * @param inner supplies the readers of private pools, for the default pool; else of none
   */
  StatisticsReader(
      Heap heap,
      StreamCaches streams,
      PendingBlocks pending,
      UsageGauge gauge,
      LongSupplier suspended,
      Supplier<List<StatisticsReader>> inner) {
    this.heap = heap;
    this.streams = streams;
    this.pending = pending;
    this.gauge = gauge;
    this.suspended = suspended;
    this.inner = inner;
  }

  private long sumOfInner(ToLongFunction<StatisticsReader> figure) {
    return inner.get().stream().mapToLong(figure).sum();
  }

  private static ThreadCacheStatistics sumOf(StreamCache heap) {
    ThreadCacheStatistics sum = ThreadCacheStatistics.sum();
    heap.eachStripe(stripe -> sum.add(stripe.stats));
    return sum;
  }

  private ThreadCacheStatistics sumOfAll() {
    CachingAllocation.requireStack();
    ThreadCacheStatistics sum = ThreadCacheStatistics.sum();
    // What retires meanwhile would count twice, or not at all.
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

  /** Returns whether no block of the stream is held or waits for others. */
  boolean holdsNothing(StreamCache heap) {
    ThreadCacheStatistics sum = sumOf(heap);
    return sum.allocations == sum.frees && pending.bytesOf(heap) == 0;
  }

  /**
   * Keeps what the heaps of closed streams counted.
   *
   * @param forgetting takes them away from the heaps
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
   * Keeps what a pool counted that holds nothing any more.
   *
   * @param forgetting takes it away from the pools
   */
  public void retire(StatisticsReader ended, Runnable forgetting) {
    ended.streams.all().forEach(each -> each.eachStripe(ThreadCache::end));
    synchronized (retired) {
      retired.add(ended.sumOfAll());
      forgetting.run();
    }
    gauge.forgetSettled();
  }

  /** Makes the peaks what is held. */
  public void resetPeaks() {
    resetPeaks(ReservedMemory::resetPeaks);
  }

  /** Makes the peaks what is held, and counts from now on; what is held stays. */
  public void resetHistory() {
    resetPeaks(ReservedMemory::resetHistory);
    before = new History(sumOfAll(), gauge.pendingBytes());
  }

  private void resetPeaks(Consumer<ReservedMemory> reset) {
    CachingAllocation.requireStack();
    streams.all().forEach(each -> each.eachStripe(stripe -> stripe.stats.settle()));
    gauge.resetPeaks();
    heap.growth.lock();
    try {
      reset.accept(heap.books);
    } finally {
      heap.growth.unlock();
    }
  }

  public SizeStatistics readBySize() {
    return sumOfAll().bySize(before.sum);
  }

  public AllocatorStatistics read() {
    ThreadCacheStatistics sum = sumOfAll();
    History then = before;
    ThreadCacheStatistics old = then.sum;
    List<StreamStatistics> streams = streams();
    UsageGauge.Peaks peaks = gauge.peaks();
    long pendingBytes = gauge.pendingBytes();
    ReservedMemory books = heap.books;
    // Claims of threads that met may be more than there ever was memory for.
    long activePeak = Math.min(peaks.active(), books.reservedTally().peak());
    return new AllocatorStatistics(
        tally(
            new Sides(sum.requestedAdded, sum.requestedRemoved),
            new Sides(old.requestedAdded, old.requestedRemoved),
            Math.min(peaks.requested(), activePeak)),
        tally(
            new Sides(sum.allocatedAdded, sum.allocatedRemoved),
            new Sides(old.allocatedAdded, old.allocatedRemoved),
            Math.min(peaks.allocated(), activePeak)),
        tally(
            new Sides(sum.allocatedAdded, sum.allocatedRemoved - pendingBytes),
            new Sides(old.allocatedAdded, old.allocatedRemoved - then.pendingBytes),
            activePeak),
        books.reservedTally(),
        tally(
            new Sides(sum.allocations, sum.frees),
            new Sides(old.allocations, old.frees),
            peaks.blocks()),
        books.segmentsTally(),
        streams.stream().mapToLong(StreamStatistics::cachedBytes).sum(),
        streams.stream().mapToLong(StreamStatistics::fragmentBytes).sum(),
        suspendedBytes(),
        freeBlocks(),
        sum.allocations - sum.misses - (old.allocations - old.misses),
        sum.allocations - sum.searched - (old.allocations - old.searched),
        sum.misses - old.misses,
        books.driverAllocations.sum(),
        books.driverFrees.sum(),
        books.decayedBytes.sum(),
        books.pagesMoved.sum(),
        heap.budget.read(),
        books.synchronizations.sum(),
        books.steals.sum(),
        books.retries.sum(),
        books.outOfMemories.sum(),
        0,
        books.leaks.sum(),
        streams,
        sum.usagesByTag(old, gauge.tags));
  }

  /** Sums of additions and removals. */
  private record Sides(long added, long removed) {}

  private static Stat tally(Sides now, Sides before, long peak) {
    long current = now.added - now.removed;
    return new Stat(
        current, Math.max(peak, current), now.added - before.added, now.removed - before.removed);
  }

  /** Bytes that users hold. */
  public long liveBytes() {
    ThreadCacheStatistics sum = sumOfAll();
    return sum.allocatedAdded - sum.allocatedRemoved;
  }

  /**
   * The same, or less than users held at some moment of the call: what is closed while stripes are
   * looked at in turn does not count, and what is taken then does not either.
   */
  long leastLiveBytes() {
    long added = sumOfAll().allocatedAdded;
    return added - sumOfAll().allocatedRemoved;
  }

  /** Allocations that users hold. */
  public long liveCount() {
    ThreadCacheStatistics sum = sumOfAll();
    return sum.allocations - sum.frees;
  }

  /** Returns whether the pool has no memory and no caller holds a part of it. */
  public boolean isNothingHeld() {
    return liveCount() == 0 && pending.isEmpty() && heap.books.held() == 0;
  }

  /** The share of every handle of a stream, and what belongs to none. */
  List<StreamStatistics> streams() {
    CachingAllocation.requireStack();
    Map<String, StreamStatistics> shares = new LinkedHashMap<>();
    addShares(shares);
    List<StreamStatistics> streams = new ArrayList<>(shares.values());
    streams.add(new StreamStatistics("shared", 0, 0, sharedBytes()));
    return streams;
  }

  private void addShares(Map<String, StreamStatistics> shares) {
    for (StreamCache each : streams.all()) {
      StreamStatistics share = shareOf(each);
      // A closed stream's memory may outlive it, and a new stream have its handle.
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

  private long suspendedBytes() {
    return suspended.getAsLong() + sumOfInner(StatisticsReader::suspendedBytes);
  }

  private long freeBlocks() {
    CachingAllocation.requireStack();
    long cached = streams.all().stream().mapToLong(StreamCache::cachedBlocks).sum();
    return cached + heap.countFree(streams.all()) + sumOfInner(StatisticsReader::freeBlocks);
  }
}
