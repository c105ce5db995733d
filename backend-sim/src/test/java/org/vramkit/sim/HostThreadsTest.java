package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.sim.thread.SingleThread;

@DisplayName("Hazards: what one host thread waited for and another relies on")
class HostThreadsTest {
  private final ExecutorService worker = SingleThread.named("worker");

  @AfterEach
  void end() {
    worker.shutdownNow();
  }

  /** Runs on the worker and waits, with an edge of Java that the simulator cannot see. */
  private void elsewhere(Runnable task) throws ExecutionException, InterruptedException {
    worker.submit(task).get();
  }

  /** The worker is known to the simulator before anything is done. */
  private Scene scene(CheckerOptions options) throws ExecutionException, InterruptedException {
    Scene scene = new Scene(1, options);
    elsewhere(scene.s3::synchronize);
    return scene;
  }

  @Test
  @DisplayName("21 one thread waits for a stream, another uses the result without a hand-over")
  void noHandOver() throws Exception {
    try (Scene scene = scene(Scene.PEDANTIC)) {
      scene.write(scene.s1);
      elsewhere(scene.s1::synchronize);
      scene.read(scene.s2);
      HazardReport report = scene.expect(RACE_RAW).get(0);
      assertTrue(report.missing().contains("worker waited"), report.missing());
      assertTrue(
          report.missing().contains(Thread.currentThread().getName() + " did not"),
          report.missing());
      assertTrue(report.remedy().contains("gpu.newHandOff()"), report.remedy());
      assertTrue(report.remedy().contains("@SimulatedGpu(strictness = STRICT)"), report.remedy());
      assertEquals("docs/simulator.md#host-threads", report.link());
      assertTrue(report.toString().contains(report.link()), report.toString());
    }
  }

  @Test
  @DisplayName("21, twin: unless asked for there is no verdict, as Java may have ordered the two")
  void unseen() throws Exception {
    try (Scene scene = scene(CheckerOptions.DEFAULT)) {
      scene.write(scene.s1);
      scene.write(scene.s3, scene.block, 16);
      elsewhere(scene.s1::synchronize);
      scene.read(scene.s2);
      scene.expect(RACE_WAW, RACE_RAW);
    }
  }

  @Test
  @DisplayName("21, twin: lenient, one clock stands for all threads")
  void lenient() throws Exception {
    try (Scene scene = scene(CheckerOptions.DEFAULT.withStrictness(Strictness.LENIENT))) {
      scene.write(scene.s1);
      elsewhere(scene.s1::synchronize);
      scene.read(scene.s2);
      scene.expect();
    }
  }

  @Test
  @DisplayName("21, twin: published by one thread and received by the other")
  void handedOver() throws Exception {
    try (Scene scene = scene(Scene.PEDANTIC)) {
      HandOff handOff = scene.backend.newHandOff();
      scene.write(scene.s1);
      elsewhere(
          () -> {
            scene.s1.synchronize();
            handOff.publish();
          });
      handOff.receive();
      scene.read(scene.s2);
      scene.expect();
    }
  }

  @Test
  @DisplayName("21 a value published before the wait does not hand the wait over")
  void publishedTooEarly() throws Exception {
    try (Scene scene = scene(Scene.PEDANTIC)) {
      HandOff handOff = scene.backend.newHandOff();
      scene.write(scene.s1);
      elsewhere(
          () -> {
            handOff.publish();
            scene.s1.synchronize();
          });
      handOff.receive();
      scene.read(scene.s2);
      scene.expect(RACE_RAW);
    }
  }

  @Test
  @DisplayName("21, twin: a lock hands over from its last holder to the next")
  void lock() throws Exception {
    try (Scene scene = scene(Scene.PEDANTIC)) {
      Lock lock = scene.backend.newHandOff().lock(new ReentrantLock());
      scene.write(scene.s1);
      elsewhere(
          () -> {
            lock.lock();
            try {
              scene.s1.synchronize();
            } finally {
              lock.unlock();
            }
          });
      lock.lock();
      try {
        scene.read(scene.s2);
      } finally {
        lock.unlock();
      }
      scene.expect();
    }
  }

  @Test
  @DisplayName("21, twin: tasks, futures and executors hand over to the task and back")
  void futures() throws Exception {
    try (Scene scene = scene(Scene.PEDANTIC)) {
      HandOff handOff = scene.backend.newHandOff();
      scene.write(scene.s1);
      scene.s1.synchronize();
      // To the task: the worker may read what this thread waited for.
      CompletableFuture.runAsync(
              () -> {
                scene.read(scene.s2);
                scene.s2.synchronize();
              },
              handOff.executor(worker))
          .get();
      // And back.
      handOff.receive();
      scene.write(scene.s3);
      Callable<Boolean> idle =
          handOff.callable(
              () -> {
                scene.s3.synchronize();
                return scene.s3.isIdle();
              });
      assertEquals(true, worker.submit(idle).get());
      handOff.receive();
      scene.read(scene.s1);
      scene.expect();
    }
  }

  @Test
  @DisplayName("21, twin: an executor and a lock of docs/simulator.md hand over")
  void asDocumented() throws Exception {
    try (Scene scene = scene(Scene.PEDANTIC)) {
      SimBackend gpu = scene.backend;
      SimStream stream = scene.s1;
      scene.write(stream);
      HandOff handOff = gpu.newHandOff();
      Executor executor = handOff.executor(worker); // to each task, and from it
      CompletableFuture.runAsync(stream::synchronize, executor).join();
      handOff.receive();
      Lock lock = handOff.lock(new ReentrantLock()); // from each holder to the next
      lock.lock();
      try {
        scene.read(scene.s2);
      } finally {
        lock.unlock();
      }
      scene.expect();
    }
  }

  @Test
  @DisplayName("21, twin: a thread knows what was known when it made its first call")
  void startedAfter() throws Exception {
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      scene.write(scene.s1);
      scene.s1.synchronize();
      elsewhere(() -> scene.read(scene.s2));
      scene.expect();
    }
  }

  @Test
  @DisplayName(
      "21, twin: the knowledge of an ended thread belongs to the thread that"
          + " waited for its end")
  void joined() throws Exception {
    try (Scene scene = scene(Scene.PEDANTIC)) {
      scene.write(scene.s1);
      Thread other = new Thread(scene.s1::synchronize);
      other.start();
      other.join();
      scene.read(scene.s2);
      elsewhere(scene.s2::synchronize);
      worker.shutdown();
      assertTrue(worker.awaitTermination(1, TimeUnit.HOURS));
      scene.write(scene.s3);
      scene.expect();
    }
  }

  @Test
  @DisplayName("21, twin: an event recorded by one thread orders what another submits")
  void eventOrders() throws Exception {
    try (Scene scene = scene(Scene.PEDANTIC);
        SimEvent event = scene.device.createEvent()) {
      scene.write(scene.s1);
      elsewhere(
          () -> {
            scene.s1.synchronize();
            // Nothing of s1 is left to wait for, but the mark comes after what this thread knows.
            event.record(scene.s3);
          });
      scene.s2.waitFor(event);
      scene.read(scene.s2);
      scene.expect();
    }
  }

  @Test
  @DisplayName(
      "21, twin: a stage of synchronizeAsync is a hand-off to the thread that" + " waits for it")
  void synchronizedAsync() throws Exception {
    try (Scene scene = scene(Scene.PEDANTIC)) {
      scene.write(scene.s1);
      scene.s1.synchronizeAsync(worker).toCompletableFuture().get();
      scene.read(scene.s2);
      scene.expect();
    }
  }

  @Test
  @DisplayName("21, twin: a pool hands a block on under its own lock, so no hand-over is missing")
  void poolsHandOver() throws Exception {
    try (Scene scene = scene(Scene.PEDANTIC)) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      elsewhere(scene.s1::synchronize);
      scene.takeBack(scene.block, scene.s1);
      scene.handOut(scene.block, SIZE, scene.s2);
      scene.write(scene.s2);
      elsewhere(scene.s2::synchronize);
      scene.device.getMemory().free(scene.block);
      scene.expect();
    }
  }

  @Test
  @DisplayName("21 threads that come and go leave nothing behind")
  void manyThreads() throws Exception {
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      for (int i = 0; i < 200; i++) {
        Thread thread =
            new Thread(
                () -> {
                  long memory = scene.device.getMemory().allocate(SIZE);
                  scene.write(scene.s1, memory, SIZE);
                  scene.s1.synchronize();
                  scene.device.getMemory().free(memory);
                });
        thread.start();
        thread.join();
      }
      scene.expect();
      assertTrue(scene.device.core().engine.checker.getClocks() < 10, "clocks are used again");
    }
  }
}
