package org.vramkit.pool.caching.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.ThreadKind;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("17.2 An allocator that is closed while others allocate")
@Tag("own-schedules")
@Tag("stress")
class CloseStressTest {
  private static final int THREADS = 4;

  @ParameterizedTest(name = "virtual memory {0}, {1} threads")
  @MethodSource("org.vramkit.pool.caching.stress.StressCase#all")
  @DisplayName("hands nothing out afterwards, leaks nothing, and can be used where it refuses")
  void closedIsClosed(VirtualMemoryUse use, ThreadKind kind) throws Exception {
    try (StressCase stress = new StressCase(kind);
        SimStream stream = stress.device.createStream();
        SimStream other = stress.device.createStream()) {
      long end = StressCase.endNanos();
      for (int round = 0; System.nanoTime() < end; round++) {
        CachingAllocator allocator =
            CachingAllocator.builder(stress.device).virtualMemory(use).threadCache(1 << 16).build();
        AtomicInteger running = new AtomicInteger(THREADS);
        List<Callable<?>> tasks = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          SplittableRandom random = new SplittableRandom(31L * round + i);
          boolean pooled = i == 1;
          tasks.add(() -> allocateUntilClosed(allocator, pooled, stream, other, random, running));
        }
        tasks.add(() -> closeAtLast(allocator, running));
        stress.run(tasks);
        assertThrows(ClosedException.class, () -> allocator.allocate(512, stream));
        stress.assertNothingTaken("round " + round);
      }
    }
  }

  private static Object allocateUntilClosed(
      CachingAllocator allocator,
      boolean pooled,
      SimStream stream,
      SimStream other,
      SplittableRandom random,
      AtomicInteger running) {
    try {
      while (true) {
        if (pooled && random.nextInt(4) == 0) {
          try (PrivatePool pool = allocator.createPool();
              PoolScope scope = pool.use()) {
            assertEquals(scope, scope);
            allocateAndClose(allocator, stream, other, random);
          }
        } else {
          allocateAndClose(allocator, stream, other, random);
        }
        // A refused close needs a moment at which nothing lives.
        Thread.onSpinWait();
      }
    } catch (ClosedException closed) {
      return running.decrementAndGet();
    }
  }

  private static void allocateAndClose(
      CachingAllocator allocator, SimStream stream, SimStream other, SplittableRandom random) {
    long bytes = 1L + random.nextInt(1 << (9 + random.nextInt(14)));
    try (Allocation block = allocator.allocate(bytes, stream)) {
      if (random.nextInt(8) == 0) {
        block.recordUse(other);
      }
      if (random.nextInt(64) == 0) {
        allocator.trim(0);
      }
    }
  }

  private static Object closeAtLast(CachingAllocator allocator, AtomicInteger running) {
    int refused = 0;
    while (true) {
      try {
        allocator.close();
        return refused;
      } catch (IllegalStateException stillOpen) {
        refused++;
        assertEquals(THREADS, running.get(), "a refused close changes nothing");
        Thread.onSpinWait();
      }
    }
  }

  @ParameterizedTest(name = "virtual memory {0}, {1} threads")
  @MethodSource("org.vramkit.pool.caching.stress.StressCase#all")
  @DisplayName("by its out-of-memory handler's side has the waiting allocation end with an error")
  void closedWhileTheHandlerRuns(VirtualMemoryUse use, ThreadKind kind) throws Exception {
    try (StressCase stress = new StressCase(kind);
        SimStream stream = stress.device.createStream()) {
      CountDownLatch asked = new CountDownLatch(1);
      CountDownLatch closed = new CountDownLatch(1);
      CachingAllocator allocator =
          CachingAllocator.builder(stress.device)
              .virtualMemory(use)
              .limit(64 << 20)
              .outOfMemoryHandler(
                  (report, attempt) -> {
                    asked.countDown();
                    await(closed);
                    return true;
                  })
              .build();
      stress.run(
          List.of(
              () -> {
                assertThrows(ClosedException.class, () -> allocator.allocate(500L << 20, stream));
                return asked;
              },
              () -> {
                await(asked);
                allocator.close();
                closed.countDown();
                return closed;
              }));
      stress.assertNothingTaken("after the close");
      assertEquals(0, allocator.getStatistics().reserved().current());
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertTrue(latch.getCount() == 0);
  }
}
