package org.vramkit.pool.caching.privatepool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SegmentSource;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("A private pool")
class PrivatePoolTest {
  private static final int THREADS = 4;

  @OnBothMemories
  @DisplayName("has its own statistics, which its allocator's include")
  void figures(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      PrivatePool pool = box.allocator.createPool();
      box.allocate(3 * MIB);
      Allocation own = pool.getAllocator().allocate(5 * MIB, box.stream);
      AllocatorStatistics part = pool.getAllocator().getStatistics();
      assertEquals(5 * MIB, part.requested().current());
      assertEquals(1, part.allocations().added());
      assertEquals(8 * MIB, box.statistics().requested().current());
      assertEquals(2, box.statistics().allocations().current());
      assertTrue(part.reserved().current() < box.statistics().reserved().current());
      SnapshotChecks.assertAgrees(box.allocator);
      own.close();
      box.allocator.resetPeaks();
      assertEquals(0, pool.getAllocator().getStatistics().requested().peak());
      assertEquals(3 * MIB, box.statistics().requested().peak());
      SnapshotChecks.assertAgrees(box.allocator);
      pool.close();
      assertEquals(2, box.statistics().allocations().added(), "counts for good");
      SnapshotChecks.assertAgrees(box.allocator);
    }
  }

  @OnBothMemories
  @DisplayName("keeps within its own limit, says so, and leaves the rest to others")
  void ownLimit(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      PrivatePool pool = box.allocator.createPool(PrivatePoolOptions.DEFAULT.withLimit(40 * MIB));
      box.allocate(100 * MIB);
      pool.getAllocator().allocate(20 * MIB, box.stream).close();
      Allocation all = pool.getAllocator().allocate(40 * MIB, box.stream);
      AllocatorOutOfMemoryException e =
          assertThrows(
              AllocatorOutOfMemoryException.class,
              () -> pool.getAllocator().allocate(20 * MIB, box.stream));
      assertTrue(e.toString().contains("in private pool 1"), e.toString());
      assertTrue(e.getReport().advice().contains("limit of private pool 1"), e.toString());
      box.allocate(100 * MIB);
      all.close();
      assertThrows(InvalidArgumentException.class, () -> PrivatePoolOptions.DEFAULT.withLimit(-1));
    }
  }

  @OnBothMemories
  @DisplayName("rejects a negative number of bytes to keep, used or not, closed or not")
  void negativeTrim(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      PrivatePool pool = box.allocator.createPool();
      Allocator allocator = pool.getAllocator();
      assertThrows(InvalidArgumentException.class, () -> allocator.trim(-1));
      allocator.allocate(MIB, box.stream).close();
      assertThrows(InvalidArgumentException.class, () -> allocator.trim(-1));
      pool.close();
      assertThrows(InvalidArgumentException.class, () -> allocator.trim(-1));
    }
  }

  @OnBothMemories
  @DisplayName("that is out of memory takes what the default pool does not need, and waits for it")
  void takesFromDefault(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, builder -> builder.limit(80 * MIB))) {
      PrivatePool pool = box.allocator.createPool();
      Allocation busy = box.allocate(40 * MIB);
      Allocation idle = box.allocate(40 * MIB);
      box.busy(box.stream, busy, 50_000_000);
      busy.close();
      idle.close();
      Allocation all = pool.getAllocator().allocate(80 * MIB, box.newStream());
      assertEquals(0, box.statistics().outOfMemories());
      all.close();
    }
  }

  @OnBothMemories
  @DisplayName("that was closed gives way to the default pool once its last block is closed")
  void endedGivesWay(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, builder -> builder.limit(40 * MIB))) {
      PrivatePool pool = box.allocator.createPool();
      Allocation last = pool.getAllocator().allocate(40 * MIB, box.stream);
      pool.close();
      assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(40 * MIB));
      last.close();
      box.allocate(40 * MIB);
    }
  }

  @Test
  @DisplayName("is rejected once it is closed, and an open scope continues until its end")
  void closedInScope() {
    try (Sandbox box = Sandbox.standard()) {
      PrivatePool pool = box.allocator.createPool();
      PoolScope scope = pool.use();
      pool.close();
      pool.close();
      assertEquals(1, pool.getUseCount());
      assertThrows(ClosedException.class, pool::use);
      assertThrows(ClosedException.class, () -> pool.getAllocator().allocate(1, box.stream));
      box.allocator.tagged("inside").allocate(MIB, box.stream).close();
      assertEquals(1, pool.getAllocator().getStatistics().allocations().added());
      scope.close();
      scope.close();
      assertEquals(0, pool.getUseCount());
      assertEquals(0, box.statistics().reserved().current(), "given back with the scope");
      box.allocate(MIB);
      assertEquals(1, pool.getAllocator().getStatistics().allocations().added());
    }
  }

  @Test
  @DisplayName("ends with its allocator, which cannot be closed while the pool has live blocks")
  void endsWithAllocator() {
    try (Sandbox box = Sandbox.standard()) {
      PrivatePool pool = box.allocator.createPool();
      PoolScope scope = pool.use();
      Allocation live = box.allocate(MIB);
      assertThrows(IllegalStateException.class, box.allocator::close);
      live.close();
      box.allocator.close();
      assertThrows(ClosedException.class, () -> box.allocate(1));
      assertThrows(ClosedException.class, box.allocator::createPool);
      assertThrows(ClosedException.class, pool::use);
      scope.close();
      pool.close();
      assertThrows(ClosedException.class, () -> box.allocate(1));
    }
  }

  @Test
  @DisplayName("is left by a thread whose scope another thread closes, in any order")
  void scopeClosedElsewhere() throws Exception {
    try (Sandbox box = Sandbox.standard()) {
      PrivatePool outer = box.allocator.createPool();
      PrivatePool inner = box.allocator.createPool();
      PoolScope first = outer.use();
      PoolScope second = inner.use();
      ExecutorService other = Executors.newSingleThreadExecutor();
      try {
        other.submit(first::close).get();
        box.allocate(512);
        assertEquals(1, inner.getAllocator().getStatistics().allocations().current());
        other.submit(second::close).get();
        box.allocate(512);
      } finally {
        other.shutdown();
      }
      assertEquals(1, inner.getAllocator().getStatistics().allocations().added());
      assertEquals(0, outer.getAllocator().getStatistics().allocations().added());
    }
  }

  @OnBothMemories
  @DisplayName("refuses a source that gives memory askew or twice, and stays usable")
  void wrongSource(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.uncached(use)) {
      long[] next = {0x1000_0010L, 0x1000_0000L, 0x1010_0000L, 0};
      List<Long> freed = new ArrayList<>();
      SegmentSource source =
          new SegmentSource() {
            private int calls;

            @Override
            public long allocate(long bytes) {
              return next[calls++];
            }

            @Override
            public void free(long address, long bytes) {
              freed.add(address);
            }
          };
      PrivatePool pool = box.allocator.createPool(PrivatePoolOptions.DEFAULT.withSource(source));
      assertRefuses(pool, box.stream, "multiple of 256");
      try (Allocation first = pool.getAllocator().allocate(20 * MIB, box.stream)) {
        assertEquals(0x1000_0000L, first.getAddress());
        assertRefuses(pool, box.stream, "before");
        assertRefuses(pool, box.stream, "multiple of 256");
      }
      pool.close();
      assertEquals(List.of(0x1000_0000L), freed);
    }
  }

  private static void assertRefuses(PrivatePool pool, SimStream stream, String why) {
    IllegalStateException e =
        assertThrows(
            IllegalStateException.class, () -> pool.getAllocator().allocate(40 * MIB, stream));
    assertTrue(e.toString().contains(why), e.toString());
  }

  @OnBothMemories
  @DisplayName("is made, used, shared and closed by many threads at once without harm")
  void crowd(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.on(use, builder -> builder.limit(512 * MIB))) {
      List<SimStream> streams = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        streams.add(box.newStream());
      }
      PrivatePool shared = box.allocator.createPool();
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      try {
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          int seed = i;
          all.add(threads.submit(() -> wander(box, shared, streams.get(seed), seed)));
        }
        for (Future<?> each : all) {
          each.get();
        }
      } finally {
        threads.shutdown();
      }
      shared.close();
      box.allocator.emptyCache();
      assertEquals(0, box.statistics().reserved().current());
      assertEquals(0, box.statistics().allocations().current());
      SnapshotChecks.assertAgrees(box.allocator);
    }
  }

  private static void wander(Sandbox box, PrivatePool shared, SimStream stream, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 50; round++) {
      Allocation survivor;
      try (PrivatePool own = box.allocator.createPool();
          PoolScope scope = (random.nextBoolean() ? own : shared).use()) {
        assertFalse(Insides.isClosed(scope));
        survivor = box.allocator.allocate(1 + random.nextLong(4 * MIB), stream);
        box.allocator.allocate(1 + random.nextLong(MIB), stream).close();
        own.getAllocator().allocate(512, stream).close();
      }
      stream.fill(survivor.getAddress(), (byte) round, survivor.getSize());
      shared.getAllocator().allocate(1 + random.nextLong(MIB), stream).close();
      survivor.close();
      if (round % 10 == 0) {
        box.allocator.emptyCache();
      }
    }
  }
}
