package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: close of a scatter")
class CloseTest {

  @Test
  @DisplayName("Closed while a tile runs: it moves to no device that has no worker yet")
  void noNewWorker() {
    List<Integer> begun = new CopyOnWriteArrayList<>();
    try (SimBackend backend = backend(2)) {
      Scatter scatter =
          Scatter.builder(DevicePool.of(backend)).failurePolicy(FailurePolicy.MOVE_TILE).build();
      assertThrows(
          ClosedException.class,
          () ->
              scatter.run(
                  1,
                  tile -> {
                    begun.add(tile.getDevice().getOrdinal());
                    // From inside a tile the close cannot wait for that tile.
                    assertThrows(ScatterException.class, scatter::close);
                    throw new DriverException("sick");
                  }));
      assertEquals(List.of(0), begun);
      scatter.close();
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("Closed workers accept no work for any device")
  void closedWorkers() throws InterruptedException {
    Workers workers = new Workers();
    workers.shutdown();
    assertTrue(workers.awaitEnd(Duration.ofHours(1)));
    assertThrows(RejectedExecutionException.class, () -> workers.submit(0, 0, () -> {}));
  }

  @Test
  @DisplayName("22 a close that is interrupted says so, keeps the flag, and ends the workers yet")
  void interrupted() throws Exception {
    try (SimBackend backend = backend(1)) {
      Scatter scatter = Scatter.over(DevicePool.of(backend));
      CountDownLatch running = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      AtomicReference<Thread> worker = new AtomicReference<>();
      Thread user =
          new Thread(
              () ->
                  scatter.run(
                      1,
                      tile -> {
                        worker.set(Thread.currentThread());
                        running.countDown();
                        release.await();
                      }));
      user.start();
      running.await();
      Thread.currentThread().interrupt();
      ScatterException e = assertThrows(ScatterException.class, scatter::close);
      assertTrue(Thread.interrupted(), "the interrupt is lost");
      assertTrue(e.toString().contains("interrupted"), e.toString());
      assertFalse(e.toString().contains("PT30S"), e.toString());
      release.countDown();
      user.join();
      Objects.requireNonNull(worker.get()).join();
      scatter.close();
    }
  }

  @Test
  @DisplayName("22 a close without tiles under way succeeds on an interrupted thread")
  void interruptedWithoutTiles() {
    try (SimBackend backend = backend(4)) {
      // Repeated, because the workers may have ended before the wait for them begins.
      for (int i = 0; i < 100; i++) {
        Scatter scatter = Scatter.over(DevicePool.of(backend));
        scatter.run(4, tile -> {});
        Thread.currentThread().interrupt();
        scatter.close();
        assertTrue(Thread.interrupted(), "the interrupt is lost");
      }
    }
  }

  @Test
  @DisplayName("23 a close from inside a tile does not wait for that tile, but takes no more")
  void insideTile() {
    try (SimBackend backend = backend(2)) {
      Scatter scatter = Scatter.over(DevicePool.of(backend));
      ScatterReport report =
          scatter.run(
              1,
              tile -> {
                ScatterException e = assertThrows(ScatterException.class, scatter::close);
                assertTrue(e.toString().contains("inside a tile"), e.toString());
              });
      assertEquals(1, report.tiles().size());
      assertThrows(ClosedException.class, () -> scatter.run(1, tile -> {}));
      scatter.close();
    }
  }

  @Test
  @DisplayName("22 a close that a tile outlasts says so; closed again, it waits for the tile")
  void outlasted() throws Exception {
    try (SimBackend backend = backend(2)) {
      Scatter scatter =
          Scatter.builder(DevicePool.of(backend)).drainDeadline(Duration.ofMillis(100)).build();
      CountDownLatch running = new CountDownLatch(2);
      CountDownLatch release = new CountDownLatch(1);
      Thread user =
          new Thread(
              () ->
                  scatter.run(
                      2,
                      tile -> {
                        running.countDown();
                        running.await();
                        if (tile.getIndex() == 0) {
                          release.await();
                        }
                      }));
      user.start();
      running.await();
      ScatterException e = assertThrows(ScatterException.class, scatter::close);
      assertTrue(
          e.toString().contains("did not end within the drain deadline of PT0.1S"), e.toString());
      release.countDown();
      user.join();
      scatter.close();
      assertClean(backend);
    }
  }
}
