package org.vramkit.pool.caching.internal.flight;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import org.vramkit.api.allocator.AllocatorStatistics;

/** The figures of an allocator and of its device. */
@Name("org.vramkit.PoolStatistics")
@Label("Pool Statistics")
@Description("What an allocator holds, what it did, and what its device has free")
@Period("1 s")
final class PoolStatisticsEvent extends VramkitEvent {
  @Label("Device Name")
  String deviceName = "";

  @Label("Device Used")
  @Description("Memory of the device that anybody has taken; -1 where the driver gives no answer")
  @DataAmount
  long deviceUsed;

  @Label("Device Total")
  @DataAmount
  long deviceTotal;

  @Label("Live")
  @Description("Held, or closed and waiting for streams")
  @DataAmount
  long live;

  @Label("Cached")
  @Description("Free, ready for a cache hit")
  @DataAmount
  long cached;

  @Label("Fragments")
  @Description("Free, behind the caches")
  @DataAmount
  long fragments;

  @Label("Reserved")
  @Description("Taken from the driver")
  @DataAmount
  long reserved;

  @Label("Reserved Peak")
  @DataAmount
  long reservedPeak;

  @Label("Allocations")
  @Description("Allocations that are held")
  long allocations;

  @Label("Served From Pool")
  @Description("Allocations so far that took no memory from the driver and moved none")
  long servedFromPool;

  @Label("Cache Hits")
  @Description("Those of them that a cache of the calling thread served, without a search")
  long cacheHits;

  @Label("Misses")
  @Description("Allocations so far that took or moved memory")
  long misses;

  @Label("Pages Moved")
  long pagesMoved;

  @Label("Out Of Memory")
  @Description("Allocations so far that were refused")
  long outOfMemories;

  @Label("Leaks")
  @Description("Allocations found without a close, of those that are watched")
  long leaks;

  void fill(AllocatorStatistics figures) {
    live = figures.active().current();
    cached = figures.cachedBytes();
    fragments = figures.fragmentBytes();
    reserved = figures.reserved().current();
    reservedPeak = figures.reserved().peak();
    allocations = figures.allocations().current();
    servedFromPool = figures.servedFromPool();
    cacheHits = figures.cacheHits();
    misses = figures.misses();
    pagesMoved = figures.pagesMoved();
    outOfMemories = figures.outOfMemories();
    leaks = figures.leaks();
  }
}
