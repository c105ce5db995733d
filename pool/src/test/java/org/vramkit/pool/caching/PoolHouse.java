package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.arena.PoolRegistry;
import org.vramkit.pool.caching.internal.arena.StatisticsReader;
import org.vramkit.pool.caching.internal.cache.CacheTable;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.ThreadCache;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.PendingBlocks;
import org.vramkit.pool.caching.internal.stats.UsageGauge;

/**
 * An allocator over segments with a private pool, for Lincheck: what is done here is not gone into
 * where this class is named to it.
 */
final class PoolHouse implements AutoCloseable {
  private final ScriptedDevice device = new ScriptedDevice();
  final CachingAllocator allocator = CachingAllocator.create(device);
  private final AtomicInteger allocations = new AtomicInteger();
  final Stream stream = new ScriptedStream(device, 7);
  final PrivatePool pool = allocator.createPool();

  /** What does the work beneath a pool; it has proofs of its own. */
  static Class<?>[] provedElsewhere() {
    return new Class<?>[] {
      PoolHouse.class,
      CacheTable.class,
      StreamCache.class,
      ThreadCache.class,
      PendingBlocks.class,
      StatisticsReader.class,
      UsageGauge.class,
      Heap.class
    };
  }

  PoolRegistry pools() {
    return allocator.pools();
  }

  /** Somebody has allocated in a private pool. */
  void allocated() {
    allocations.incrementAndGet();
  }

  /** Closes all; pools that have ended were forgotten, and what they did counts for good, once. */
  @Override
  public void close() {
    pool.close();
    pools().drainEnded(0, true);
    assertEquals(0, pool.getUseCount(), "uses");
    assertEquals(1, pools().members().size(), "the default pool alone");
    assertEquals(allocations.get(), allocator.getStatistics().allocations().added(), "counted");
    allocator.close();
    assertEquals(0, device.live(), "segments and events");
  }
}
