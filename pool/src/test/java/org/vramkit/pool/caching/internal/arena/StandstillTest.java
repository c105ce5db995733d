package org.vramkit.pool.caching.internal.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.sim.SimStream;

@DisplayName("42.19 Pools that stand still for a snapshot")
class StandstillTest {
  /** A stack of 256 KiB, which a recursion over thousands of pools overflows. */
  private static final long STACK_BYTES = 256 << 10;

  private static final int POOLS = 3000;

  @OnBothMemories
  @DisplayName("42.19 a thread that empties caches to look alone holds no lock that they wait for")
  void emptiedMeanwhile(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.on(use)) {
      box.allocator.allocate(1000, box.stream).close();
      SimStream other = box.newStream();
      Arena main = Insides.arenas(box.allocator).get(0);
      Thread alone =
          new Thread(
              () -> {
                main.hold();
                main.resume();
              });
      // As a snapshot does: the heap first, then the caches.
      main.heap.lock.lock();
      try {
        alone.start();
        while (!main.heap.lock.hasQueuedThread(alone)) {
          Thread.onSpinWait();
        }
        CompletableFuture<StreamCache> caches =
            CompletableFuture.supplyAsync(() -> main.streams.of(other));
        assertSame(other, caches.get(1, TimeUnit.HOURS).stream);
      } finally {
        main.heap.lock.unlock();
      }
      alone.join();
    }
  }

  @Test
  @DisplayName("42.19 may be thousands, also where one begins a capture")
  void thousandsOfPools() throws InterruptedException {
    try (Sandbox box = Sandbox.on(VirtualMemoryUse.OFF)) {
      List<PrivatePool> pools = new ArrayList<>();
      for (int i = 0; i < POOLS; i++) {
        PrivatePool pool = box.allocator.createPool();
        pool.use().close();
        pools.add(pool);
      }
      assertEquals(POOLS + 1, Insides.arenas(box.allocator).size());
      List<Throwable> failures = new ArrayList<>();
      Thread thread =
          new Thread(
              null,
              () -> {
                box.allocator.getSnapshot();
                pools.get(0).capture(box.newStream()).close();
              },
              "snapshot",
              STACK_BYTES);
      thread.setUncaughtExceptionHandler((failed, why) -> failures.add(why));
      thread.start();
      thread.join();
      assertEquals(List.of(), failures);
      pools.forEach(PrivatePool::close);
    }
  }

  @OnBothMemories
  @DisplayName("42.19 go on where the look at them fails")
  void failedLook(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      pool.getAllocator().allocate(1000, box.stream).close();
      box.allocator.allocate(1000, box.stream).close();
      List<Arena> all = Insides.arenas(box.allocator);
      assertThrows(
          OutOfMemoryError.class,
          () ->
              Standstill.of(
                  all,
                  () -> {
                    throw new OutOfMemoryError("none for a snapshot");
                  }));
      Consumer<Allocation> close = Allocation::close;
      CompletableFuture.runAsync(() -> close.accept(box.allocator.allocate(1000, box.stream)))
          .get(1, TimeUnit.HOURS);
      CompletableFuture.runAsync(
              () -> close.accept(pool.getAllocator().allocate(3 << 20, box.newStream())))
          .get(1, TimeUnit.HOURS);
      assertTrue(box.allocator.getSnapshot().segments().size() > 1);
    }
  }
}
