package org.vramkit.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** Runs work on several threads, each with its own random numbers. */
final class RandomThreads {
  /** Number of threads. */
  private static final int THREADS = 4;

  private RandomThreads() {}

  /** Runs the work on all threads and waits for them. A failure names the seed. */
  static void run(Consumer<RandomGenerator> work) throws InterruptedException {
    long seed = Long.getLong(AllocatorKit.SEED_PROPERTY, 123);
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        RandomGenerator random =
            RandomGeneratorFactory.of("L64X128MixRandom").create(seed * THREADS + thread);
        tasks.add(
            () -> {
              work.accept(random);
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
}
