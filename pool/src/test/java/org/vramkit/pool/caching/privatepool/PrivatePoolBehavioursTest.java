package org.vramkit.pool.caching.privatepool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockView;
import org.vramkit.pool.caching.AllocatorSnapshot.SegmentView;
import org.vramkit.pool.caching.CountingSource;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SegmentSource;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("Private pools")
class PrivatePoolBehavioursTest {
  private static final int THREADS = 4;

  @Test
  @DisplayName("33 ids strictly increase, and four threads make four distinct ones")
  void ids() throws Exception {
    try (Sandbox box = Sandbox.standard()) {
      long last = 0;
      for (int i = 0; i < 3; i++) {
        long id = box.allocator.createPool().getId();
        assertTrue(id > last, id + " after " + last);
        last = id;
      }
      Set<Long> ids = Collections.synchronizedSet(new HashSet<>());
      inThreads(() -> ids.add(box.allocator.createPool().getId()));
      assertEquals(THREADS, ids.size(), ids::toString);
      assertTrue(Collections.min(ids) > last, ids::toString);
    }
  }

  @Test
  @DisplayName("34 a pool counts one use, two inside a scope, one after it, none after its close")
  void useCount() {
    try (Sandbox box = Sandbox.standard()) {
      PrivatePool pool = box.allocator.createPool();
      assertEquals(1, pool.getUseCount());
      try (PoolScope scope = pool.use()) {
        assertFalse(Insides.isClosed(scope));
        assertEquals(2, pool.getUseCount());
      }
      assertEquals(1, pool.getUseCount());
      pool.close();
      assertEquals(0, pool.getUseCount());
    }
  }

  @OnBothMemories
  @DisplayName("35 a source of segments is asked on the first use of the pool, and never outside")
  void source(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.uncached(use)) {
      CountingSource source = new CountingSource(box.device);
      PrivatePool pool = box.allocator.createPool(withSource(source));
      box.allocate(MIB);
      assertEquals(0, source.taken, "before the first use");
      Allocation first;
      try (PoolScope scope = pool.use()) {
        assertFalse(Insides.isClosed(scope));
        first = box.allocate(MIB);
        box.allocate(512).close();
      }
      assertEquals(1, source.taken, "segments for two blocks of one");
      box.allocate(30 * MIB).close();
      assertEquals(1, source.taken, "after the scope");
      first.close();
      assertEquals(0, source.given, "while the pool is open");
      pool.close();
      assertEquals(1, source.given, "after the close");
    }
  }

  @OnBothMemories
  @DisplayName("36 a block outlives its pool; once it is closed too, a trim gives the segment back")
  void blockOutlivesPool(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      CountingSource source = new CountingSource(box.device);
      PrivatePool pool = box.allocator.createPool(withSource(source));
      Allocation kept = pool.getAllocator().allocate(MIB, box.stream);
      pool.close();
      assertEquals(0, source.given, "a block is live");
      box.stream.fill(kept.getAddress(), (byte) 1, kept.getSize());
      assertTrue(box.allocator.recordUse(kept.getAddress() + 5, box.newStream()), "its address");
      kept.close();
      box.allocator.emptyCache();
      assertEquals(1, source.given, "after free and trim");
      assertEquals(0, box.statistics().reserved().current());
      assertEquals(1, box.statistics().allocations().added(), "what the pool did still counts");
    }
  }

  @OnBothMemories
  @DisplayName("36 an open block keeps its pool and source alive when the program drops both")
  void onlyBlockIsHeld(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      long before = box.device.getMemoryInfo().getUsedBytes();
      Allocation kept;
      try (PrivatePool pool =
          box.allocator.createPool(withSource(new CountingSource(box.device)))) {
        kept = pool.getAllocator().allocate(MIB, box.stream);
      }
      System.gc();
      box.stream.fill(kept.getAddress(), (byte) 1, kept.getSize());
      kept.close();
      box.allocator.emptyCache();
      assertEquals(before, box.device.getMemoryInfo().getUsedBytes());
    }
  }

  @OnBothMemories
  @DisplayName("39 the innermost open scope counts")
  void nested(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.uncached(use)) {
      PrivatePool one = box.allocator.createPool();
      PrivatePool two = box.allocator.createPool();
      PrivatePool three = box.allocator.createPool();
      PoolScope first = one.use();
      box.allocate(20 * MIB);
      PoolScope second = two.use();
      box.allocate(20 * MIB);
      PoolScope third = three.use();
      box.allocate(20 * MIB);
      third.close();
      box.allocate(20 * MIB);
      second.close();
      box.allocate(20 * MIB);
      first.close();
      long[] expected = {2, 2, 1};
      PrivatePool[] pools = {one, two, three};
      for (int i = 0; i < pools.length; i++) {
        // Over virtual memory neighbouring pages count as one segment.
        long segments = use == VirtualMemoryUse.ON ? 1 : expected[i];
        assertEquals(segments, pools[i].getSnapshot().segments().size(), pools[i]::toString);
        assertEquals(
            expected[i] * 20 * MIB,
            pools[i].getAllocator().getStatistics().reserved().current(),
            pools[i]::toString);
      }
      assertEquals(0, segmentsOf(box, 0), "none in the default pool");
    }
  }

  @OnBothMemories
  @DisplayName("40 a scope of one thread leaves the allocations of another where they were")
  void otherThread(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.uncached(use)) {
      box.allocate(MIB);
      PrivatePool pool = box.allocator.createPool();
      try (PoolScope scope = pool.use()) {
        assertFalse(Insides.isClosed(scope));
        box.allocate(MIB).close();
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
          Allocation theirs = other.submit(() -> box.allocator.allocate(MIB, box.stream)).get();
          assertEquals(2 * MIB, activeIn(box, 0), "default pool");
          assertEquals(0, activeIn(box, pool.getId()), "A's pool");
          assertEquals(2, box.allocator.getSnapshot().segments().size());
          theirs.close();
        } finally {
          other.shutdown();
        }
      }
    }
  }

  @OnBothMemories
  @DisplayName("41 a pool that is in use keeps its segment when the allocator is emptied")
  void emptiedInScope(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.on(use)) {
      List<PrivatePool> pools = Collections.synchronizedList(new ArrayList<>());
      CyclicBarrier together = new CyclicBarrier(THREADS);
      inThreads(
          () -> {
            PrivatePool pool = box.allocator.createPool();
            pools.add(pool);
            try (PoolScope scope = pool.use()) {
              assertFalse(Insides.isClosed(scope));
              together.await();
              box.allocator.allocate(1024, box.stream).close();
              box.allocator.emptyCache();
            }
            return pool;
          });
      assertEquals(THREADS, pools.size());
      pools.forEach(each -> assertEquals(1, each.getSnapshot().segments().size()));
      assertEquals(THREADS, box.allocator.getSnapshot().segments().size());
      pools.get(0).getAllocator().trim(0);
      assertEquals(0, pools.get(0).getSnapshot().segments().size(), "trimmed by itself");
    }
  }

  @Test
  @DisplayName("42 over virtual memory a pool with a source has segments of fixed size")
  void customBesideGrowable() {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON)) {
      CountingSource source = new CountingSource(box.device);
      PrivatePool pool = box.allocator.createPool(withSource(source));
      box.allocate(MIB);
      try (PoolScope scope = pool.use()) {
        assertFalse(Insides.isClosed(scope));
        box.allocate(MIB);
      }
      List<SegmentView> segments = box.allocator.getSnapshot().segments();
      assertEquals(2, segments.size());
      assertEquals(1, segments.stream().filter(SegmentView::growable).count());
    }
  }

  @OnBothMemories
  @DisplayName("43 one thread's rounds stay in its pool while another uses the default one")
  void threadRouted(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.uncached(use)) {
      PrivatePool pool = box.allocator.createPool();
      Allocation small = pool.getAllocator().allocate(16, box.stream);
      SimStream another = box.newStream();
      CyclicBarrier together = new CyclicBarrier(2);
      ExecutorService threads = Executors.newFixedThreadPool(2);
      try {
        Future<?> routed =
            threads.submit(
                () -> {
                  try (PoolScope scope = pool.use()) {
                    assertFalse(Insides.isClosed(scope));
                    together.await();
                    rounds(box, box.stream, 3);
                  }
                  return rounds(box, box.stream, 1);
                });
        Future<?> plain =
            threads.submit(
                () -> {
                  together.await();
                  return rounds(box, another, 2);
                });
        routed.get();
        plain.get();
      } finally {
        threads.shutdown();
      }
      // Over virtual memory a region for small blocks, and one for large blocks.
      int segments = use == VirtualMemoryUse.ON ? 2 : 4;
      assertEquals(segments, pool.getSnapshot().segments().size());
      assertEquals(62 * MIB, pool.getAllocator().getStatistics().reserved().peak());
      small.close();
      pool.close();
      box.allocator.emptyCache();
      assertEquals(0, segmentsOf(box, pool.getId()));
    }
  }

  private static int rounds(Sandbox box, SimStream stream, int blocks) {
    for (int round = 0; round < 10; round++) {
      List<Allocation> held = new ArrayList<>();
      for (int i = 0; i < blocks; i++) {
        held.add(box.allocator.allocate(20 * MIB, stream));
      }
      held.forEach(Allocation::close);
    }
    return blocks;
  }

  @OnBothMemories
  @DisplayName("44 the live set is recognised; one more or one less is not")
  void liveSet(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      PrivatePool pool = box.allocator.createPool();
      List<Allocation> live = new ArrayList<>();
      try (PoolScope scope = pool.use()) {
        assertFalse(Insides.isClosed(scope));
        for (int i = 0; i < 5; i++) {
          live.add(box.allocate(512L * (i + 1)));
        }
        box.allocate(4096).close();
        live.add(box.allocate(0));
      }
      Allocation outside = box.allocate(512);
      assertTrue(pool.holdsExactly(live));
      List<Allocation> more = new ArrayList<>(live);
      more.add(outside);
      assertFalse(pool.holdsExactly(more), "one extra");
      assertFalse(pool.holdsExactly(live.subList(1, live.size())), "one missing");
      live.get(2).close();
      assertFalse(pool.holdsExactly(live), "one closed");
      live.remove(2);
      assertTrue(pool.holdsExactly(live));
    }
  }

  // ---- helpers ----

  private static PrivatePoolOptions withSource(SegmentSource source) {
    return PrivatePoolOptions.DEFAULT.withSource(source);
  }

  private static long segmentsOf(Sandbox box, long pool) {
    return box.allocator.getSnapshot().segments().stream().filter(s -> s.pool() == pool).count();
  }

  private static long activeIn(Sandbox box, long pool) {
    return box.allocator.getSnapshot().segments().stream()
        .filter(segment -> segment.pool() == pool)
        .flatMap(segment -> segment.blocks().stream())
        .filter(b -> b.state() == BlockState.LIVE || b.state() == BlockState.PENDING)
        .mapToLong(BlockView::size)
        .sum();
  }

  private static <T> void inThreads(Callable<T> task)
      throws ExecutionException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<T>> tasks = Collections.nCopies(THREADS, task);
      for (Future<T> each : threads.invokeAll(tasks)) {
        each.get();
      }
    } finally {
      threads.shutdown();
    }
  }
}
