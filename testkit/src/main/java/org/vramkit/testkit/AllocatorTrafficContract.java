package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/** Random work from several threads. */
interface AllocatorTrafficContract extends AllocatorContext {

  /** Threads at once. */
  int THREADS = 4;

  @Test
  @DisplayName("R8 4 threads x 100 random sizes on the default and on own streams all succeed")
  default void manyThreads() throws InterruptedException {
    inThreads(
        random -> {
          try (Stream own = getDevice().createStream()) {
            for (int i = 0; i < 100; i++) {
              Stream stream = random.nextBoolean() ? own : getDevice().getDefaultStream();
              long bytes = random.nextLong(1, 5 * ByteSize.MIB);
              try (Allocation block = getAllocator().allocate(bytes, stream)) {
                stream.fill(block.getAddress(), (byte) i, bytes);
              }
            }
          }
        });
    assertNothingLive();
  }

  @Test
  @DisplayName("9 blocks keep their bytes under random traffic of threads, streams and trims")
  default void contentsStayIntact() throws InterruptedException {
    inThreads(
        random -> {
          try (TrafficDriver driver = new TrafficDriver(getAllocator(), random)) {
            for (int i = 0; i < 1_500; i++) {
              driver.step();
            }
          }
        });
    assertNothingLive();
  }

  private void assertNothingLive() {
    getDevice().synchronize();
    getAllocator().trim(0);
    AllocatorStatistics statistics = getAllocator().getStatistics();
    assertEquals(0, statistics.allocations().current(), () -> "" + statistics);
    assertEquals(0, statistics.requested().current(), () -> "" + statistics);
    assertEquals(0, statistics.reserved().current(), () -> "" + statistics);
  }

  private static void inThreads(Work work) throws InterruptedException {
    long seed = Long.getLong(AllocatorKit.SEED_PROPERTY, 123);
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        RandomGenerator random =
            RandomGeneratorFactory.of("L64X128MixRandom").create(seed * THREADS + thread);
        tasks.add(
            () -> {
              work.run(random);
              return null;
            });
      }
      for (Future<Void> each : executor.invokeAll(tasks)) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError(
          "failed with -D" + AllocatorKit.SEED_PROPERTY + "=" + seed, e.getCause());
    } finally {
      executor.shutdown();
    }
  }

  /** What each thread does with its own random numbers. */
  interface Work {
    void run(RandomGenerator random);
  }
}
