package org.vramkit.pool.caching;

import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.option.Option;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.PoolHealth;
import org.vramkit.pool.support.StreamProgress;

/**
 * Makes heaps of streams whose allocator is asked for nothing and whose options say 0, for
 * Lincheck. What a heap is made of takes many steps that nobody else sees, so this class can be
 * named to it as one that is not gone into.
 */
public final class HeapMaker {
  private static final CachingAllocatorBuilder DEFAULT =
      CachingAllocator.builder(new ScriptedDevice());
  private static final Arena UNASKED = DEFAULT.build().pools().main;
  private static final StreamCache.Settings SETTINGS =
      new StreamCache.Settings(DEFAULT.options().get(Option.THREAD_CACHE), 0, 1);

  private final EventPool events;
  private final UsageGauge gauge = new UsageGauge();
  private final Block.Table numbers = new Block.Table();

  public HeapMaker(ScriptedDevice device) {
    events = new EventPool(device);
  }

  public StreamCache make(Stream stream) {
    StreamProgress progress = new StreamProgress(stream, events, System::nanoTime, none -> false);
    return new StreamCache(
        stream,
        progress,
        UNASKED,
        UNASKED.gate,
        new PoolHealth("unasked"),
        SETTINGS,
        gauge,
        numbers);
  }
}
