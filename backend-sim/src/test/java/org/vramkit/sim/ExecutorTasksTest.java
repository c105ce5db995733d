package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks and futures are edges of Java that the simulator cannot see; none of them is told here. */
@DisplayName("Hazards: what tasks of executors wait for")
class ExecutorTasksTest {
  private static final int ROUNDS = 20;

  /** Each round relies on the wait of a task, and the next task on the wait of this thread. */
  private static void rounds(Scene scene, Executor executor) {
    for (int i = 0; i < ROUNDS; i++) {
      CompletableFuture.runAsync(
              () -> {
                scene.write(scene.s1);
                scene.s1.synchronize();
              },
              executor)
          .join();
      scene.read(scene.s2);
      scene.write(scene.s2);
      scene.s2.synchronize();
    }
  }

  private static void passes(ExecutorService executor) throws InterruptedException {
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      rounds(scene, executor);
      scene.expect();
    } finally {
      executor.shutdown();
      assertTrue(executor.awaitTermination(1, TimeUnit.HOURS));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 16})
  @DisplayName("21, twin: a fork-join pool does so, whatever its parallelism")
  void forkJoinPool(int parallelism) throws InterruptedException {
    passes(new ForkJoinPool(parallelism));
  }

  @Test
  @DisplayName("21, twin: the common pool does so")
  void commonPool() {
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      // Not itself: where it has one thread, CompletableFuture takes a new one for each task.
      rounds(scene, task -> ForkJoinPool.commonPool().execute(task));
      scene.expect();
    }
  }

  @Test
  @DisplayName("21, twin: a parallel stream hands over to its caller")
  void parallelStream() {
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      List<Long> blocks =
          IntStream.range(0, 8).mapToObj(i -> scene.device.getMemory().allocate(SIZE)).toList();
      blocks.parallelStream()
          .forEach(
              block -> {
                SimStream own = scene.device.createStream();
                scene.write(own, block, SIZE);
                own.synchronize();
              });
      blocks.forEach(block -> scene.read(scene.s2, block, SIZE));
      scene.expect();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  @DisplayName("21 a thread pool hands nothing over without a HandOff, even through Future.get")
  void threadPool(int threads) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      scene.write(scene.s1);
      pool.submit(scene.s1::synchronize).get();
      scene.read(scene.s2);
      scene.expect(RACE_RAW);
    } finally {
      pool.shutdownNow();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 16})
  @DisplayName("21, twin: with a HandOff it does, to each task and back")
  void toldThreadPool(int threads) throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      HandOff handOff = scene.backend.newHandOff();
      for (int i = 0; i < ROUNDS; i++) {
        CompletableFuture.runAsync(
                () -> {
                  scene.write(scene.s1);
                  scene.s1.synchronize();
                },
                handOff.executor(pool))
            .join();
        handOff.receive();
        scene.read(scene.s2);
        scene.write(scene.s2);
        scene.s2.synchronize();
      }
      scene.expect();
    } finally {
      pool.shutdown();
      assertTrue(pool.awaitTermination(1, TimeUnit.HOURS));
    }
  }

  @Test
  @DisplayName("21, twin: unless hand-offs are required, no executor needs one")
  void untoldThreadPool() throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try (Scene scene = new Scene()) {
      rounds(scene, pool);
      scene.expect();
    } finally {
      pool.shutdown();
      assertTrue(pool.awaitTermination(1, TimeUnit.HOURS));
    }
  }

  @Test
  @DisplayName("21 work that no thread waited for is a race, in tasks as elsewhere")
  void nobodyWaited() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      pool.submit(() -> scene.write(scene.s1)).get();
      pool.submit(() -> scene.read(scene.s2)).get();
      scene.expect(RACE_RAW);
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  @DisplayName("21 a thread of the program's own hands nothing over by calling")
  void ownThreads() throws Exception {
    CountDownLatch waited = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      scene.write(scene.s1);
      Thread other =
          new Thread(
              () -> {
                scene.s1.synchronize();
                waited.countDown();
                while (end.getCount() > 0) {
                  scene.s3.synchronize();
                }
              });
      other.start();
      waited.await();
      scene.read(scene.s2);
      end.countDown();
      other.join();
      scene.expect(RACE_RAW);
    }
  }
}
