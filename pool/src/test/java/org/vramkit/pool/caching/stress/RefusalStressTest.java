package org.vramkit.pool.caching.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.ThreadKind;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("17.4 Threads whose live bytes never exceed the limit")
@Tag("own-schedules")
@Tag("stress")
class RefusalStressTest {
  private static final int THREADS = 6;
  private static final int STEPS = 2000;

  @ParameterizedTest(name = "virtual memory {0}, {1} threads")
  @MethodSource("org.vramkit.pool.caching.stress.StressCase#all")
  @DisplayName("are never refused where memory counts more than time")
  void neverRefused(VirtualMemoryUse use, ThreadKind kind) throws Exception {
    replaceWithin(1, use, kind, builder -> builder.moveTime(1));
  }

  @ParameterizedTest(name = "virtual memory {0}, {1} threads")
  @MethodSource("org.vramkit.pool.caching.stress.StressCase#all")
  @DisplayName(
      "never fail by default with half of it live, even in busy programs with larger blocks")
  void neverRefusedByDefault(VirtualMemoryUse use, ThreadKind kind) throws Exception {
    replaceWithin(0.5, use, kind, builder -> builder);
  }

  private static void replaceWithin(
      double part,
      VirtualMemoryUse use,
      ThreadKind kind,
      UnaryOperator<CachingAllocatorBuilder> options)
      throws Exception {
    // Pages go wherever they are wanted. Segments serve one size without fragments.
    long unit = (use == VirtualMemoryUse.ON ? 2L : 12L) << 20;
    int sizes = use == VirtualMemoryUse.ON ? 4 : 1;
    long limit = 2 * THREADS * unit;
    long most = (long) (part * limit);
    AtomicLong allocations = new AtomicLong();
    try (StressCase stress = new StressCase(kind)) {
      long end = StressCase.endNanos();
      for (int round = 0; System.nanoTime() < end; round++) {
        long seed = round;
        try (CachingAllocator allocator =
            options
                .apply(CachingAllocator.builder(stress.device))
                .virtualMemory(use)
                .threadCache(64 << 20)
                .limit(limit)
                .build()) {
          AtomicLong live = new AtomicLong();
          List<Callable<?>> tasks = new ArrayList<>();
          for (int i = 0; i < THREADS; i++) {
            SplittableRandom random = new SplittableRandom(seed * THREADS + i);
            tasks.add(
                () -> {
                  replace(stress, allocator, live, most, unit, sizes, random, allocations);
                  return live;
                });
          }
          stress.run(tasks);
          assertEquals(0, allocator.getStatistics().outOfMemories(), "seed " + seed);
        }
      }
    }
    System.out.println(
        "never refused in " + allocations + " allocations, " + use + " " + kind + " " + part);
  }

  private static void replace(
      StressCase stress,
      CachingAllocator allocator,
      AtomicLong live,
      long most,
      long unit,
      int sizes,
      SplittableRandom random,
      AtomicLong allocations) {
    try (SimStream stream = stress.device.createStream()) {
      List<Allocation> held = new ArrayList<>();
      for (int step = 0; step < STEPS; step++) {
        long bytes = unit * (1 + random.nextInt(sizes));
        if (live.addAndGet(bytes) <= most) {
          held.add(allocate(allocator, bytes, stream, live));
          allocations.incrementAndGet();
        } else {
          live.addAndGet(-bytes);
          if (!held.isEmpty()) {
            Allocation closed = held.remove(random.nextInt(held.size()));
            long size = closed.getSize();
            closed.close();
            live.addAndGet(-size);
          }
        }
      }
      for (Allocation each : held) {
        long size = each.getSize();
        each.close();
        live.addAndGet(-size);
      }
    }
  }

  /** A refusal is rare: it tells all that it knows. */
  private static Allocation allocate(
      CachingAllocator allocator, long bytes, SimStream stream, AtomicLong live) {
    try {
      return allocator.allocate(bytes, stream);
    } catch (AllocatorOutOfMemoryException e) {
      throw new AssertionError("refused with " + live + " bytes live: " + e.getReport(), e);
    }
  }

  @ParameterizedTest(name = "virtual memory {0}, {1} threads")
  @MethodSource("org.vramkit.pool.caching.stress.StressCase#all")
  @DisplayName("are not refused what was freed while they waited")
  void freedWhileWaiting(VirtualMemoryUse use, ThreadKind kind) throws Exception {
    long mib = 1 << 20;
    try (StressCase stress = new StressCase(kind);
        SimStream first = stress.device.createStream();
        SimStream gated = stress.device.createStream();
        SimStream third = stress.device.createStream();
        CachingAllocator allocator =
            CachingAllocator.builder(stress.device)
                .virtualMemory(use)
                .threadCache(64 * mib)
                .limit(24 * mib)
                .build()) {
      Allocation large = allocator.allocate(12 * mib, first);
      Allocation small = allocator.allocate(2 * mib, first);
      CountDownLatch freed = new CountDownLatch(1);
      CountDownLatch reached = new CountDownLatch(1);
      gated.callHost(
          "close the large block",
          () -> {
            reached.countDown();
            large.close();
            freed.countDown();
          });
      small.recordUse(gated);
      small.close();
      stress.run(
          List.of(
              () -> {
                allocator.allocate(14 * mib, third).close();
                return freed;
              }));
      assertEquals(0, reached.getCount());
      assertEquals(0, freed.getCount());
      assertEquals(0, allocator.getStatistics().outOfMemories());
    }
  }
}
