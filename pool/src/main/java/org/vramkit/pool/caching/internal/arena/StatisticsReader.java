package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.allocator.MoveTimeStatistics;
import org.vramkit.api.allocator.Stat;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.pool.caching.internal.cache.CacheTable;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.PendingBlocks;
import org.vramkit.pool.caching.internal.stats.ThreadCacheStatistics;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.Stats;
import org.vramkit.pool.support.Streams;

/**
 * Reads the statistics of a pool: the counts of its thread caches, its heap and its {@link Stats}.
 * Those of the default pool include private pools, so that they cover all memory of an allocator.
 *
 * <p>Locks thread caches and heaps one after the other, never two at once. The monitor of {@code
 * retired} guards its sums. It is also held while sums are taken, so that no stream or pool is
 * removed meanwhile. It comes before the locks of caches and heaps; the monitor of the default pool
 * comes before those of other pools.
 */
public final class StatisticsReader {
  private final CacheTable streams;
  private final Heap heap;
  private final PendingBlocks pending;
  private final UsageGauge gauge;

  /** Supplies the readers of the pools whose counts are included. */
  private final Supplier<List<StatisticsReader>> inner;

  /** The counts of closed streams and pools that were removed. */
  private final ThreadCacheStatistics retired = ThreadCacheStatistics.sum();

  private volatile Counts before = new Counts();

  /** The counts up to a moment, and what is live and free then. */
  private static final class Counts {
    final ThreadCacheStatistics sum = ThreadCacheStatistics.sum();
    final Map<String, StreamStatistics> streams = new LinkedHashMap<>();
    long pendingBytes;
    long sharedBytes;
    long freeBlocks;

    /** Adds a stream: its counts and its memory are read together, so that they agree. */
    void add(StreamCache caches, long pendingOfStream, long fragments) {
      ThreadCacheStatistics own = ThreadCacheStatistics.sum();
      long[] cached = {0};
      caches.eachThreadCache(
          cache -> {
            own.add(cache.stats);
            cached[0] += cache.bytes();
            freeBlocks += cache.count();
          });
      sum.add(own);
      pendingBytes += pendingOfStream;
      long live = own.allocated() + pendingOfStream;
      String name = Streams.nameOf(caches.stream);
      // Memory may outlive a closed stream, whose handle the driver may have given to a new stream.
      streams.merge(
          name, new StreamStatistics(name, live, cached[0], fragments), StatisticsReader::plus);
    }
  }

  /**
   * Creates the reader of a pool.
   *
   * @param inner supplies the readers of private pools to the default pool, and none to private
   *     pools
   */
  StatisticsReader(
      Heap heap,
      CacheTable streams,
      PendingBlocks pending,
      UsageGauge gauge,
      Supplier<List<StatisticsReader>> inner) {
    this.heap = heap;
    this.streams = streams;
    this.pending = pending;
    this.gauge = gauge;
    this.inner = inner;
  }

  private static ThreadCacheStatistics sumOf(StreamCache caches) {
    ThreadCacheStatistics sum = ThreadCacheStatistics.sum();
    caches.eachThreadCache(cache -> sum.add(cache.stats));
    return sum;
  }

  private ThreadCacheStatistics sumOfAll() {
    ThreadCacheStatistics sum = ThreadCacheStatistics.sum();
    // A stream that is retired meanwhile would count twice, or not at all.
    synchronized (retired) {
      sum.add(retired);
      streams.all().forEach(each -> sum.add(sumOf(each)));
      inner.get().forEach(each -> sum.add(each.sumOfAll()));
    }
    return sum;
  }

  private Counts count() {
    Counts counts = new Counts();
    addTo(counts);
    return counts;
  }

  private void addTo(Counts counts) {
    synchronized (retired) {
      counts.sum.add(retired);
      for (StreamCache each : streams.all()) {
        counts.add(each, pending.bytesOf(each), heap.unsettledBytes(each));
      }
      counts.sharedBytes += heap.unplacedBytes() + heap.settledBytes();
      counts.freeBlocks += heap.countFree(streams.all());
      inner.get().forEach(each -> each.addTo(counts));
    }
  }

  /** Returns whether no block of the stream is live or pending. */
  boolean holdsNothing(StreamCache caches) {
    return sumOf(caches).blocks() == 0 && pending.bytesOf(caches) == 0;
  }

  /**
   * Adds the counts of closed streams to the retired ones.
   *
   * @param forgetting removes the streams from the pool
   */
  void retire(List<StreamCache> closed, Runnable forgetting) {
    closed.forEach(each -> each.eachThreadCache(cache -> cache.stats.settle()));
    synchronized (retired) {
      closed.forEach(each -> retired.add(sumOf(each)));
      forgetting.run();
    }
  }

  /**
   * Adds the counts of an ended pool, which holds nothing, to the retired ones.
   *
   * @param forgetting removes the pool from the registry
   */
  public void retire(StatisticsReader ended, Runnable forgetting) {
    ended.streams.all().forEach(each -> each.eachThreadCache(cache -> cache.stats.settle()));
    synchronized (retired) {
      retired.add(ended.sumOfAll());
      forgetting.run();
    }
  }

  public void resetPeaks() {
    streams.all().forEach(each -> each.eachThreadCache(cache -> cache.stats.settle()));
    gauge.resetPeaks();
    heap.stats.resetPeaks();
  }

  /** Resets each peak to the current value, and totals and counts to 0. Current values stay. */
  public void resetHistory() {
    resetPeaks();
    heap.stats.reset();
    before = count();
  }

  /** Returns the number of allocations that searched the heap, or ran out of memory. */
  public long searches() {
    return sumOfAll().searched
        - before.sum.searched
        + heap.stats.get(Figure.OUT_OF_MEMORIES).current();
  }

  /** Returns the statistics; the shares of streams add up to the totals. */
  public AllocatorStatistics read() {
    Counts now = count();
    Counts then = before;
    ThreadCacheStatistics sum = now.sum;
    ThreadCacheStatistics old = then.sum;
    List<StreamStatistics> streams = sharesOf(now);
    Map<Figure, Stat> figures = heap.stats.getAll();
    UsageGauge.Peaks peaks = gauge.peaks(heap.stats.get(Figure.RESERVED).peak());
    MoveTimeStatistics moves = heap.budget.read();
    figures.put(
        Figure.REQUESTED,
        stat(
            new Sides(sum.requestedAdded, sum.requestedRemoved),
            new Sides(old.requestedAdded, old.requestedRemoved),
            peaks.requested()));
    figures.put(
        Figure.ALLOCATED,
        stat(
            new Sides(sum.allocatedAdded, sum.allocatedRemoved),
            new Sides(old.allocatedAdded, old.allocatedRemoved),
            peaks.allocated()));
    figures.put(
        Figure.LIVE,
        stat(
            new Sides(sum.allocatedAdded, sum.allocatedRemoved - now.pendingBytes),
            new Sides(old.allocatedAdded, old.allocatedRemoved - then.pendingBytes),
            peaks.active()));
    figures.put(
        Figure.ALLOCATIONS,
        stat(
            new Sides(sum.allocations, sum.frees),
            new Sides(old.allocations, old.frees),
            peaks.blocks()));
    long made = sum.allocations - old.allocations;
    long misses = sum.misses - old.misses;
    long cached = streams.stream().mapToLong(StreamStatistics::cachedBytes).sum();
    long fragments = streams.stream().mapToLong(StreamStatistics::fragmentBytes).sum();
    figures.put(Figure.MISSES, Stat.of(misses));
    figures.put(Figure.SERVED_FROM_POOL, Stat.of(made - misses));
    figures.put(Figure.CACHE_HITS, Stat.of(made - (sum.searched - old.searched)));
    figures.put(Figure.CACHED, Stat.of(cached));
    figures.put(Figure.FRAGMENTS, Stat.of(fragments));
    figures.put(Figure.FREE_BLOCKS, Stat.of(now.freeBlocks));
    figures.put(Figure.MOVE_TIME, Stat.of(moves.movingNanos()));
    figures.put(Figure.MOVE_TIME_LEFT, Stat.of(moves.leftNanos()));
    return new AllocatorStatistics(figures, streams, sum.usagesByTag(old, gauge));
  }

  private record Sides(long added, long removed) {}

  private static Stat stat(Sides now, Sides before, long peak) {
    long current = now.added - now.removed;
    return new Stat(
        current, Math.max(peak, current), now.added - before.added, now.removed - before.removed);
  }

  public long liveBytes() {
    return sumOfAll().allocated();
  }

  /**
   * Returns a lower bound of the reserved bytes of live blocks: at some moment of the call at least
   * as many were live. Blocks that are allocated or closed during the call, and suspended blocks,
   * do not count.
   */
  long leastLiveBytes() {
    long suspended = heap.stats.current(Figure.SUSPENDED);
    long added = sumOfAll().allocatedAdded;
    return Math.max(0, added - sumOfAll().allocatedRemoved - suspended);
  }

  public long liveCount() {
    return sumOfAll().blocks();
  }

  /** Returns whether the pool has no memory, and no live or pending block. */
  public boolean isNothingHeld() {
    return liveCount() == 0 && pending.isEmpty() && heap.limit.held() == 0;
  }

  /** Returns the shares of all streams, by the handles of streams, and of settled memory. */
  List<StreamStatistics> streams() {
    return sharesOf(count());
  }

  private static List<StreamStatistics> sharesOf(Counts counts) {
    List<StreamStatistics> streams = new ArrayList<>(counts.streams.values());
    streams.add(new StreamStatistics("shared", 0, 0, counts.sharedBytes));
    return streams;
  }

  private static StreamStatistics plus(StreamStatistics one, StreamStatistics other) {
    return new StreamStatistics(
        one.stream(),
        one.liveBytes() + other.liveBytes(),
        one.cachedBytes() + other.cachedBytes(),
        one.fragmentBytes() + other.fragmentBytes());
  }
}
