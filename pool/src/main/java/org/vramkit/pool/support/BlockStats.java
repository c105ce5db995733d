package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.allocator.Stat;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/**
 * The figures of an allocator whose free blocks lie in one cache, in total and by stream. Every
 * method is atomic. No other lock is acquired under the monitor.
 */
public final class BlockStats extends Stats {
  private static final String SHARED = "shared";

  private final Map<String, Share> shares = new TreeMap<>();

  /** Bytes of driver allocations in progress. */
  private long claimed;

  /** The memory of one stream. */
  private static final class Share {
    long live;
    long cached;
  }

  /** Counts an allocation and, unless {@code stream} is null, counts it by stream too. */
  public synchronized void allocated(long bytes, @Nullable Stream stream) {
    add(Figure.ALLOCATED, bytes);
    add(Figure.ALLOCATIONS, 1);
    change(stream, bytes, 0);
  }

  /** Counts a free and, unless {@code stream} is null, counts it by stream too. */
  public synchronized void freed(long bytes, @Nullable Stream stream) {
    add(Figure.ALLOCATED, -bytes);
    add(Figure.ALLOCATIONS, -1);
    change(stream, -bytes, 0);
  }

  /**
   * Claims bytes before a driver allocation; {@link #unclaim} follows.
   *
   * @return false if the claim would exceed the limit
   */
  synchronized boolean claim(long bytes, long limit) {
    boolean fits = limit == Long.MAX_VALUE || reservedOrClaimed() <= limit - bytes;
    claimed += fits && limit != Long.MAX_VALUE ? bytes : 0;
    return fits;
  }

  synchronized void unclaim(long bytes, long limit) {
    claimed -= limit != Long.MAX_VALUE ? bytes : 0;
  }

  private long reservedOrClaimed() {
    return current(Figure.RESERVED) + claimed;
  }

  /**
   * Returns how many bytes must go back to the source before {@code wanted} bytes are taken, so
   * that the {@linkplain #growthBound growth bound} holds.
   */
  synchronized long excess(long wanted) {
    Stat allocated = get(Figure.ALLOCATED);
    long peak = Math.max(allocated.peak(), allocated.current() + wanted);
    return Math.max(0, reservedOrClaimed() + wanted - growthBound(peak));
  }

  /** Counts a driver allocation. */
  public synchronized void taken(long bytes) {
    add(Figure.MISSES, 1);
    add(Figure.SEGMENTS, 1);
    add(Figure.RESERVED, bytes);
  }

  /** Counts a driver free. */
  public synchronized void givenBack(long bytes) {
    add(Figure.SEGMENTS, -1);
    add(Figure.RESERVED, -bytes);
  }

  /**
   * Sets the reserved bytes to those of the driver's pool. Reserved bytes that are not allocated
   * count as cached, and belong to no stream, except those of blocks whose free failed.
   */
  public synchronized void heldByDriver(long bytes, long peakBytes) {
    raisePeakTo(Figure.RESERVED, peakBytes);
    long allocated = current(Figure.ALLOCATED);
    set(Figure.RESERVED, Math.max(bytes, allocated));
    long cached = current(Figure.RESERVED) - allocated;
    set(Figure.CACHED, cached);
    set(Figure.FREE_BLOCKS, cached > 0 ? 1 : 0);
    shares.remove(SHARED);
    long shared = cached - shares.values().stream().mapToLong(each -> each.cached).sum();
    if (shared > 0) {
      shares.computeIfAbsent(SHARED, unused -> new Share()).cached = shared;
    }
  }

  private void set(Figure figure, long value) {
    add(figure, value - current(figure));
  }

  /** Counts a block that enters the cache, also by stream unless {@code stream} is null. */
  public synchronized void cached(long bytes, @Nullable Stream stream) {
    add(Figure.CACHED, bytes);
    add(Figure.FREE_BLOCKS, 1);
    change(stream, 0, bytes);
  }

  /** Counts a block that leaves the cache, also by stream unless {@code stream} is null. */
  public synchronized void uncached(long bytes, @Nullable Stream stream) {
    add(Figure.CACHED, -bytes);
    add(Figure.FREE_BLOCKS, -1);
    change(stream, 0, -bytes);
  }

  /** Describes the allocations, live or being made, that prevent a close. */
  synchronized String describe() {
    return "live "
        + ByteSize.format(current(Figure.ALLOCATED))
        + " in "
        + Count.of(current(Figure.ALLOCATIONS), "allocation")
        + ", cached "
        + ByteSize.format(current(Figure.CACHED));
  }

  public synchronized AllocatorStatistics read() {
    Map<Figure, Stat> figures = getAll();
    figures.put(Figure.REQUESTED, get(Figure.ALLOCATED));
    figures.put(Figure.LIVE, get(Figure.ALLOCATED));
    List<StreamStatistics> streams = new ArrayList<>();
    shares.forEach(
        (name, share) -> streams.add(new StreamStatistics(name, share.live, share.cached, 0)));
    return new AllocatorStatistics(figures, streams, List.of());
  }

  /** Sets live and cached memory to 0. */
  public synchronized void forget() {
    for (Figure each :
        List.of(
            Figure.ALLOCATED,
            Figure.RESERVED,
            Figure.ALLOCATIONS,
            Figure.SEGMENTS,
            Figure.CACHED,
            Figure.FREE_BLOCKS)) {
      set(each, 0);
    }
    shares.clear();
  }

  private void change(@Nullable Stream stream, long live, long cached) {
    if (stream == null) {
      return;
    }
    String name = Streams.nameOf(stream);
    Share share = shares.computeIfAbsent(name, unused -> new Share());
    share.live += live;
    share.cached += cached;
    if (share.live == 0 && share.cached == 0) {
      shares.remove(name);
    }
  }
}
