package org.vramkit.pool.caching.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.ThreadKind;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("17.1 Threads that are interrupted while they allocate and close")
@Tag("own-schedules")
@Tag("stress")
class InterruptStressTest {
  private static final int THREADS = 300;
  private static final int HELD = 300;

  @ParameterizedTest(name = "virtual memory {0}, {1} threads")
  @MethodSource("org.vramkit.pool.caching.stress.StressCase#all")
  @DisplayName("end, and keep their interrupt flag")
  void interruptedThreadsComeToAnEnd(VirtualMemoryUse use, ThreadKind kind) throws Exception {
    try (StressCase stress = new StressCase(kind);
        SimStream stream = stress.device.createStream()) {
      long end = StressCase.endNanos();
      do {
        try (CachingAllocator allocator =
            CachingAllocator.builder(stress.device).virtualMemory(use).build()) {
          CyclicBarrier allHold = new CyclicBarrier(THREADS);
          List<Callable<?>> tasks = new ArrayList<>();
          for (int i = 0; i < THREADS; i++) {
            tasks.add(() -> holdAndReplace(allocator, stream, allHold));
          }
          stress.run(tasks);
          assertEquals(2 * THREADS * HELD, allocator.getStatistics().allocations().removed());
          assertEquals(0, allocator.getStatistics().allocations().current());
        }
      } while (System.nanoTime() < end);
    }
  }

  private static Object holdAndReplace(
      CachingAllocator allocator, SimStream stream, CyclicBarrier allHold) throws Exception {
    ArrayDeque<Allocation> held = new ArrayDeque<>();
    for (int i = 0; i < HELD; i++) {
      held.add(allocator.allocate(512L * (1 + i % 7), stream));
    }
    allHold.await();
    Thread.currentThread().interrupt();
    for (int i = 0; i < HELD; i++) {
      held.remove().close();
    }
    for (int i = 0; i < HELD; i++) {
      held.add(allocator.allocate(512L * (1 + i % 7), stream));
    }
    held.forEach(Allocation::close);
    assertEquals(true, Thread.interrupted(), "interrupted");
    return held;
  }
}
