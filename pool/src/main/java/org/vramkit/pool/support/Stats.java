package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.MoveTimeStatistics;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/**
 * Statistics of an allocator whose free blocks lie in one cache. Every method is atomic. No other
 * lock is acquired under the monitor.
 */
public final class Stats {
  private static final String SHARED = "shared";

  private final Gauge allocated = new Gauge();
  private final Gauge reserved = new Gauge();
  private final Gauge allocations = new Gauge();
  private final Gauge segments = new Gauge();
  private final Map<String, Share> shares = new TreeMap<>();

  /** Bytes of driver allocations in progress. */
  private long claimed;

  private long cachedBytes;
  private long cachedBlocks;
  private long misses;

  /** Counts allocations that the cache served. */
  public final LongAdder hits = new LongAdder();

  /** Counts waits on the host. */
  public final LongAdder synchronizations = new LongAdder();

  /** Counts blocks that one stream took from another, by waiting for them. */
  public final LongAdder steals = new LongAdder();

  /** Counts allocations that succeeded after a failed attempt. */
  public final LongAdder retries = new LongAdder();

  /** Counts allocations that failed for lack of memory. */
  public final LongAdder outOfMemories = new LongAdder();

  /** The memory of one stream. */
  private static final class Share {
    long live;
    long cached;
  }

  /** Counts an allocation and, unless {@code stream} is null, counts it by stream too. */
  public synchronized void allocated(long bytes, @Nullable Stream stream) {
    allocated.add(bytes);
    allocations.add(1);
    change(stream, bytes, 0);
  }

  /** Counts a free and, unless {@code stream} is null, counts it by stream too. */
  public synchronized void freed(long bytes, @Nullable Stream stream) {
    allocated.remove(bytes);
    allocations.remove(1);
    change(stream, -bytes, 0);
  }

  /**
   * Claims bytes before a driver allocation; {@link #unclaim} follows.
   *
   * @return false if the claim would exceed the limit
   */
  synchronized boolean claim(long bytes, long limit) {
    boolean fits = limit == Long.MAX_VALUE || reserved.current() + claimed <= limit - bytes;
    claimed += fits && limit != Long.MAX_VALUE ? bytes : 0;
    return fits;
  }

  /** Ends a claim. */
  synchronized void unclaim(long bytes, long limit) {
    claimed -= limit != Long.MAX_VALUE ? bytes : 0;
  }

  /**
   * Returns how many bytes must go back to the source before {@code wanted} bytes are taken, so
   * that the {@link GrowthBound} holds.
   */
  synchronized long excess(long wanted) {
    return GrowthBound.excess(
        wanted, reserved.current() + claimed, allocated.current(), allocated.peak());
  }

  /** Counts a driver allocation. */
  public synchronized void taken(long bytes) {
    misses++;
    segments.add(1);
    reserved.add(bytes);
  }

  /** Counts a driver free. */
  public synchronized void givenBack(long bytes) {
    segments.remove(1);
    reserved.remove(bytes);
  }

  /**
   * Sets the reserved bytes to those of the driver's pool. Reserved bytes that are not allocated
   * count as cached, and belong to no stream, except those of blocks whose free failed.
   */
  public synchronized void heldByDriver(long bytes, long peakBytes) {
    reserved.raisePeakTo(peakBytes);
    reserved.moveTo(Math.max(bytes, allocated.current()));
    cachedBytes = reserved.current() - allocated.current();
    cachedBlocks = cachedBytes > 0 ? 1 : 0;
    shares.remove(SHARED);
    long shared = cachedBytes - shares.values().stream().mapToLong(each -> each.cached).sum();
    if (shared > 0) {
      shares.computeIfAbsent(SHARED, unused -> new Share()).cached = shared;
    }
  }

  /** Counts a block that enters the cache, also by stream unless {@code stream} is null. */
  public synchronized void cached(long bytes, @Nullable Stream stream) {
    cachedBytes += bytes;
    cachedBlocks++;
    change(stream, 0, bytes);
  }

  /** Counts a block that leaves the cache, also by stream unless {@code stream} is null. */
  public synchronized void uncached(long bytes, @Nullable Stream stream) {
    cachedBytes -= bytes;
    cachedBlocks--;
    change(stream, 0, -bytes);
  }

  public synchronized long getCachedBytes() {
    return cachedBytes;
  }

  public synchronized long getReservedBytes() {
    return reserved.current();
  }

  /** Returns the number of allocations that took memory from the driver. */
  public synchronized long getMisses() {
    return misses;
  }

  public synchronized long getReturns() {
    return allocations.read().removed();
  }

  public synchronized long getAllocatedBytes() {
    return allocated.current();
  }

  /** Resets every peak to the current value. */
  public synchronized void resetPeaks() {
    for (Gauge each : List.of(allocated, reserved, allocations, segments)) {
      each.resetPeak();
    }
  }

  /** Describes the allocations, live or being made, that prevent a close. */
  synchronized String refusal(String name, long holders) {
    long live = Math.min(holders, allocations.current());
    return name
        + " cannot close: "
        + Count.of(live, "open allocation")
        + " of "
        + ByteSize.format(allocated.current())
        + (holders == live ? "" : " and " + (holders - live) + " being made")
        + "; close them first";
  }

  synchronized String describe() {
    return "live "
        + ByteSize.format(allocated.current())
        + " in "
        + Count.of(allocations.current(), "allocation")
        + ", cached "
        + ByteSize.format(cachedBytes);
  }

  /** Returns the statistics of this moment. */
  public synchronized AllocatorStatistics read() {
    List<StreamStatistics> streams = new ArrayList<>();
    shares.forEach(
        (name, share) -> streams.add(new StreamStatistics(name, share.live, share.cached, 0)));
    return new AllocatorStatistics(
        allocated.read(),
        allocated.read(),
        allocated.read(),
        reserved.read(),
        allocations.read(),
        segments.read(),
        cachedBytes,
        0,
        0,
        cachedBlocks,
        hits.sum(),
        0,
        misses,
        segments.read().added(),
        segments.read().removed(),
        0,
        0,
        MoveTimeStatistics.NONE,
        synchronizations.sum(),
        steals.sum(),
        retries.sum(),
        outOfMemories.sum(),
        0,
        0,
        streams,
        List.of());
  }

  /** Sets all gauges and the cached memory to 0. */
  public synchronized void forget() {
    for (Gauge each : List.of(allocated, reserved, allocations, segments)) {
      each.moveTo(0);
    }
    cachedBytes = 0;
    cachedBlocks = 0;
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
