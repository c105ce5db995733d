package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.Strictness;

/** A host that waits for held work lets other threads in. */
@DisplayName("Waits during which other threads call")
class InterruptedWaitsTest {
  /** Holds the first stream, waits, and lets another thread do something before it is let go. */
  private static void whileWaiting(Scene scene, Runnable hold, Runnable wait, Runnable meanwhile) {
    SimGate gate = scene.backend.createGate("gate");
    scene.s1.waitFor(gate);
    hold.run();
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Void> other =
        CompletableFuture.runAsync(
            () -> {
              Latches.await(begun);
              try {
                meanwhile.run();
              } finally {
                gate.open();
              }
            });
    scene
        .device
        .core()
        .engine
        .lock
        .locked(
            () -> {
              // The other thread gets the lock when the wait gives it up, and not before.
              begun.countDown();
              wait.run();
              return true;
            });
    other.join();
  }

  @Test
  @DisplayName("A wait for a stream teaches nothing of work that was submitted meanwhile")
  void stream() {
    try (Scene scene = new Scene()) {
      whileWaiting(scene, () -> {}, scene.s1::synchronize, () -> scene.write(scene.s1));
      scene.read(scene.s3);
      scene.expect(HazardCode.RACE_RAW);
    }
  }

  @Test
  @DisplayName("A wait for a device teaches nothing of work that was submitted meanwhile")
  void device() {
    try (Scene scene = new Scene()) {
      whileWaiting(scene, () -> {}, scene.device::synchronize, () -> scene.write(scene.s2));
      scene.read(scene.s3);
      scene.expect(HazardCode.RACE_RAW);
    }
  }

  @Test
  @DisplayName("A wait for an event teaches nothing of a mark that was recorded meanwhile")
  void event() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      whileWaiting(
          scene,
          () -> event.record(scene.s1),
          event::synchronize,
          () -> {
            scene.write(scene.s2);
            event.record(scene.s2);
          });
      scene.read(scene.s3);
      scene.expect(HazardCode.RACE_RAW);
    }
  }

  @Test
  @DisplayName("A thread that is interrupted waits on, and stays interrupted")
  void interrupted() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      Thread.currentThread().interrupt();
      whileWaiting(scene, () -> {}, scene.s1::synchronize, () -> {});
      assertTrue(Thread.interrupted());
      scene.read(scene.s3);
      scene.expect();
    }
  }

  @Test
  @DisplayName("A wait for a device bears that a stream is created meanwhile")
  void created() {
    try (Scene scene = new Scene()) {
      int before = scene.device.core().streams.getCreated().size();
      whileWaiting(scene, () -> {}, scene.device::synchronize, scene.device::createStream);
      assertEquals(before + 1, scene.device.core().streams.getCreated().size());
      scene.expect();
    }
  }

  @Test
  @DisplayName("Work queued during a wait for the device is covered by the next wait")
  void closed() {
    try (Scene scene = new Scene()) {
      whileWaiting(
          scene,
          () -> {},
          scene.device::synchronize,
          () -> {
            scene.write(scene.s2);
            scene.s2.close();
          });
      scene.device.synchronize();
      scene.read(scene.s3);
      scene.expect();
    }
  }

  @Test
  @DisplayName("Of two frees of the same memory that wait, the one that ends later is refused")
  void freedTwice() throws InterruptedException {
    try (Scene scene = new Scene(1, CheckerOptions.DEFAULT.withStrictness(Strictness.LENIENT))) {
      long free = scene.device.core().budget.getFree();
      List<RuntimeException> refused = new CopyOnWriteArrayList<>();
      Runnable freeing =
          () -> {
            try {
              scene.device.getMemory().free(scene.block);
            } catch (InvalidArgumentException e) {
              refused.add(e);
            }
          };
      Thread other = new Thread(freeing);
      whileWaiting(
          scene,
          () -> {},
          freeing,
          () -> {
            other.start();
            while (scene.backend.getDriverCalls().getCount("cuMemFree") < 2) {
              Thread.onSpinWait();
            }
          });
      other.join();
      assertEquals(1, refused.size(), refused::toString);
      scene.expect(HazardCode.DOUBLE_FREE);
      assertEquals(free + (2 << 20), scene.device.core().budget.getFree());
    }
  }
}
