package org.vramkit.pool.caching.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Stat;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("17.26 Figures that are reset")
class ResetStatisticsTest {

  @OnBothMemories
  @DisplayName("17.26 after a reset they tell what is held, and what happened since")
  void reset(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      SimStream side = box.newStream();
      Allocation kept = box.allocate(30 * MIB);
      Allocation inPool = pool.getAllocator().allocate(5000, box.stream);
      Allocation pending = box.allocate(4 * MIB);
      box.allocate(100 * MIB).close();
      box.busy(side, pending, 1_000_000_000);
      pending.recordUse(side);
      pending.close();
      AllocatorStatistics before = box.statistics();
      box.allocator.resetStatistics();
      AllocatorStatistics now = box.statistics();
      for (Stat each : tallies(now)) {
        assertEquals(each.current(), each.peak(), now.toString());
        assertEquals(0, each.added(), now.toString());
        assertEquals(0, each.removed(), now.toString());
      }
      assertEquals(currents(before), currents(now));
      assertEquals(before.cachedBytes(), now.cachedBytes());
      assertEquals(
          List.of(0L, 0L, 0L, 0L, 0L, 0L, 0L),
          List.of(
              now.servedFromPool(),
              now.cacheHits(),
              now.misses(),
              now.driverAllocations(),
              now.driverFrees(),
              now.synchronizations(),
              now.outOfMemories()));

      kept.close();
      inPool.close();
      box.allocate(2000);
      box.allocator.emptyCache();
      now = box.statistics();
      assertEquals(new Stat(2000, 30 * MIB + 5000, 2000, 30 * MIB + 5000), now.requested());
      assertEquals(new Stat(1, 2, 1, 2), now.allocations());
      assertEquals(2048, now.allocated().added());
      assertEquals(2048, now.active().added());
      assertEquals(34 * MIB + 5120, now.active().removed());
      assertEquals(
          before.reserved().current() + now.reserved().added() - now.reserved().removed(),
          now.reserved().current());
      assertTrue(now.driverFrees() > 0);
      assertEquals(1, now.servedFromPool() + now.misses());
      assertEquals(1, pool.getAllocator().getStatistics().allocations().removed());
    }
  }

  @OnBothMemories
  @DisplayName("17.26 resetting the peaks of a private pool keeps the peaks of its allocator")
  void peaksOfThePoolAlone(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      pool.getAllocator().allocate(100 * MIB, box.stream).close();
      assertEquals(100 * MIB, box.statistics().allocated().peak());
      pool.getAllocator().resetPeaks();
      assertEquals(0, pool.getAllocator().getStatistics().allocated().peak());
      assertEquals(100 * MIB, box.statistics().allocated().peak());
      assertEquals(100 * MIB, box.statistics().requested().peak());
      assertEquals(100 * MIB, box.statistics().active().peak());
      assertEquals(1, box.statistics().allocations().peak());
    }
  }

  private static List<Stat> tallies(AllocatorStatistics now) {
    return List.of(
        now.requested(),
        now.allocated(),
        now.active(),
        now.reserved(),
        now.allocations(),
        now.segments());
  }

  private static List<Long> currents(AllocatorStatistics now) {
    return tallies(now).stream().map(Stat::current).toList();
  }
}
