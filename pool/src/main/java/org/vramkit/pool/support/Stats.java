package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.MoveTimeStatistics;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/**
 * The figures of an allocator whose free blocks all lie in one cache. Every method is atomic; a
 * caller that holds another lock takes this one last.
 */
public final class Stats {
  private static final String SHARED = "shared";

  private final Meter allocated = new Meter();
  private final Meter reserved = new Meter();
  private final Meter allocations = new Meter();
  private final Meter segments = new Meter();
  private final Map<String, Share> shares = new TreeMap<>();

  /** Bytes that are being asked of the driver, which may still refuse. */
  private long claimed;

  private long cachedBytes;
  private long cachedBlocks;
  private long hits;
  private long misses;
  private long synchronizations;
  private long steals;
  private long retries;
  private long outOfMemories;

  /** The share of one stream. */
  private static final class Share {
    long live;
    long cached;
  }

  /** Nothing was counted. */
  public Stats() {}

  /** An allocation is live; of a stream, where these are told apart. */
  public synchronized void allocated(long bytes, @Nullable Stream stream) {
    allocated.add(bytes);
    allocations.add(1);
    change(stream, bytes, 0);
  }

  /** It is not any more. */
  public synchronized void freed(long bytes, @Nullable Stream stream) {
    allocated.remove(bytes);
    allocations.remove(1);
    change(stream, -bytes, 0);
  }

  /**
   * Claims bytes that are about to be asked of the driver; {@link #unclaim} follows.
   *
   * @return false if more than the limit would be reserved
   */
  synchronized boolean claim(long bytes, long limit) {
    boolean fits = limit == Long.MAX_VALUE || reserved.current() + claimed <= limit - bytes;
    claimed += fits && limit != Long.MAX_VALUE ? bytes : 0;
    return fits;
  }

  /** The driver has answered. */
  synchronized void unclaim(long bytes, long limit) {
    claimed -= limit != Long.MAX_VALUE ? bytes : 0;
  }

  /** How many free bytes have to go back before some are taken, by the {@link GrowthBound}. */
  synchronized long excess(long wanted) {
    return GrowthBound.excess(
        wanted, reserved.current() + claimed, allocated.current(), allocated.peak());
  }

  /**
   * The driver gave a piece of memory for an allocation.
   *
   * @param bytes how much that adds to what is reserved
   */
  public synchronized void taken(long bytes) {
    misses++;
    segments.add(1);
    reserved.add(bytes);
  }

  /**
   * The driver has a piece of memory back.
   *
   * @param bytes how much that takes from what is reserved
   */
  public synchronized void givenBack(long bytes) {
    segments.remove(1);
    reserved.remove(bytes);
  }

  /**
   * Takes over what the driver's pool holds: everything that is not allocated is its cache, which
   * belongs to no stream but for blocks whose free failed.
   *
   * @param bytes what it holds now
   * @param peakBytes the most that it held since the last reset of peaks
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

  /** A block went into the cache, under the stream that freed it. */
  public synchronized void cached(long bytes, @Nullable Stream stream) {
    cachedBytes += bytes;
    cachedBlocks++;
    change(stream, 0, bytes);
  }

  /** A block left the cache, to be allocated or given back. */
  public synchronized void uncached(long bytes, @Nullable Stream stream) {
    cachedBytes -= bytes;
    cachedBlocks--;
    change(stream, 0, -bytes);
  }

  /** An allocation was served from the cache. */
  public synchronized void hit() {
    hits++;
  }

  /** A stream was made to wait so that a block could change hands. */
  public synchronized void stolen() {
    steals++;
  }

  /** An allocation succeeded only after a first failure. */
  public synchronized void retried() {
    retries++;
  }

  /** The host waited for the device. */
  public synchronized void synchronizedOnHost() {
    synchronizations++;
  }

  /** An allocation failed for lack of memory. */
  public synchronized void outOfMemory() {
    outOfMemories++;
  }

  /** Bytes in the cache. */
  public synchronized long getCachedBytes() {
    return cachedBytes;
  }

  /** Bytes that were taken and not given back. */
  public synchronized long getReservedBytes() {
    return reserved.current();
  }

  /** Allocations that were served from what was kept. */
  public synchronized long getHits() {
    return hits;
  }

  /** Allocations that were not. */
  public synchronized long getMisses() {
    return misses;
  }

  /** Allocations that are over. */
  public synchronized long getReturns() {
    return allocations.read().removed();
  }

  /** Bytes that users hold. */
  public synchronized long getAllocatedBytes() {
    return allocated.current();
  }

  /** Makes every peak the current value. */
  public synchronized void resetPeaks() {
    for (Meter each : List.of(allocated, reserved, allocations, segments)) {
      each.resetPeak();
    }
  }

  /** Says why an allocator cannot close with allocations live or being made. */
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

  /** The figures of this moment. */
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
        cachedBlocks,
        hits,
        0,
        misses,
        segments.read().added(),
        segments.read().removed(),
        0,
        0,
        MoveTimeStatistics.NONE,
        synchronizations,
        steals,
        retries,
        outOfMemories,
        0,
        0,
        streams,
        List.of());
  }

  /** Nothing is left, whatever was counted. */
  synchronized void forget() {
    for (Meter each : List.of(allocated, reserved, allocations, segments)) {
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
