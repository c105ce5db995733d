package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;

@DisplayName("S5: the drain of a cancelled scatter")
class DrainTest {
  private static final Duration SHORT = Duration.ofMillis(200);

  private final IllegalStateException mine = new IllegalStateException("mine");

  private static Scatter scatter(SimBackend backend, Duration deadline) {
    return Scatter.builder(DevicePool.of(backend)).drainDeadline(deadline).build();
  }

  /**
   * Waits without limit until the workers have ended all submitted work. A close would wait only
   * for the short drain deadline.
   */
  private static void awaitWorkers(Scatter scatter, int devices) {
    scatter.run(devices, tile -> {});
  }

  @Test
  @DisplayName("17, 23 a tile that only waits behind another scatter's tile is not waited for")
  void queuedBehindAnother() throws InterruptedException {
    try (SimBackend backend = backend(2);
        Scatter scatter = scatter(backend, SHORT)) {
      CountDownLatch busy = new CountDownLatch(2);
      CountDownLatch release = new CountDownLatch(1);
      Thread other =
          new Thread(
              () ->
                  scatter.run(
                      2,
                      tile -> {
                        busy.countDown();
                        if (tile.getIndex() == 1) {
                          release.await();
                        }
                      }));
      other.start();
      busy.await();
      AtomicInteger begun = new AtomicInteger();
      RuntimeException thrown =
          assertThrows(
              RuntimeException.class,
              () ->
                  scatter.run(
                      2,
                      tile -> {
                        begun.incrementAndGet();
                        throw mine;
                      }));
      release.countDown();
      other.join();
      awaitWorkers(scatter, 2);
      assertSame(mine, thrown);
      assertEquals(0, thrown.getSuppressed().length);
      assertEquals(1, begun.get(), "the tile that waited was begun after the scatter had ended");
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("17, 22 the user's failure is thrown also when another tile hangs, which it names")
  void hangsBesideFailure() {
    CountDownLatch release = new CountDownLatch(1);
    try (SimBackend backend = backend(3);
        Scatter scatter = scatter(backend, SHORT)) {
      CountDownLatch running = new CountDownLatch(2);
      RuntimeException thrown =
          assertThrows(
              RuntimeException.class,
              () ->
                  scatter.run(
                      3,
                      tile -> {
                        tile.getStream();
                        if (tile.getIndex() == 2) {
                          running.await();
                          throw mine;
                        }
                        running.countDown();
                        release.await();
                      }));
      release.countDown();
      awaitWorkers(scatter, 3);
      assertSame(mine, thrown);
      assertEquals(2, thrown.getSuppressed().length);
      for (int i = 0; i < 2; i++) {
        String text = thrown.getSuppressed()[i].toString();
        assertTrue(text.contains("[" + i + ", " + (i + 1) + ") on device " + i), text);
      }
    }
  }

  @Test
  @DisplayName("22 a tile that hung releases its stream when it ends")
  void hungTileEnds() {
    CountDownLatch release = new CountDownLatch(1);
    try (SimBackend backend = backend(2);
        Scatter scatter = scatter(backend, SHORT)) {
      CountDownLatch running = new CountDownLatch(1);
      assertThrows(
          RuntimeException.class,
          () ->
              scatter.run(
                  2,
                  tile -> {
                    tile.getStream();
                    if (tile.getIndex() == 0) {
                      running.await();
                      throw mine;
                    }
                    running.countDown();
                    release.await();
                  }));
      assertEquals(
          EnumSet.of(LeakKind.STREAM, LeakKind.CONTEXT),
          backend.getLeaks().stream().map(Leak::kind).collect(Collectors.toSet()),
          "the tile still has its stream, and its device current");
      release.countDown();
      awaitWorkers(scatter, 2);
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("22 the deadline runs from the cancelling on, however often the caller is disturbed")
  void deadlineIsAbsolute() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (SimBackend backend = backend(2);
        Scatter scatter = scatter(backend, SHORT)) {
      AtomicBoolean flag = new AtomicBoolean();
      CountDownLatch running = new CountDownLatch(2);
      TileTask hanging =
          tile -> {
            running.countDown();
            release.await();
          };
      FutureTask<Throwable> failure =
          new FutureTask<>(
              () -> {
                Throwable thrown =
                    assertThrows(RuntimeException.class, () -> scatter.run(2, hanging));
                flag.set(Thread.currentThread().isInterrupted());
                return thrown;
              });
      Thread caller = new Thread(failure);
      caller.start();
      running.await();
      while (caller.isAlive()) {
        caller.interrupt();
        caller.join(20);
      }
      release.countDown();
      awaitWorkers(scatter, 2);
      Throwable thrown = failure.get();
      assertTrue(thrown.toString().contains("interrupted"), thrown.toString());
      assertEquals(2, thrown.getSuppressed().length);
      assertTrue(thrown.getSuppressed()[1].toString().contains("[1, 2) on device 1"));
      assertTrue(flag.get(), "the interrupt is lost");
    }
  }

  @Test
  @DisplayName("17, 22 an interrupt while the others are drained does not hide the user's failure")
  void interruptWhileDraining() throws ExecutionException, InterruptedException {
    try (SimBackend backend = backend(2);
        Scatter scatter = scatter(backend, Duration.ofSeconds(10))) {
      CompletableFuture<Throwable> failure = new CompletableFuture<>();
      AtomicBoolean flag = new AtomicBoolean();
      CountDownLatch running = new CountDownLatch(1);
      Thread caller =
          new Thread(
              () -> {
                Thread own = Thread.currentThread();
                try {
                  scatter.run(
                      2,
                      tile -> {
                        if (tile.getIndex() == 0) {
                          running.await();
                          throw mine;
                        }
                        running.countDown();
                        while (!tile.isCancelled()) {
                          Thread.onSpinWait();
                        }
                        own.interrupt();
                        // An interrupted wait clears the flag.
                        while (own.isInterrupted()) {
                          Thread.onSpinWait();
                        }
                      });
                } catch (Throwable e) {
                  flag.set(own.isInterrupted());
                  failure.complete(e);
                }
              });
      caller.start();
      assertSame(mine, failure.get());
      caller.join();
      assertTrue(flag.get(), "the interrupt is lost");
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("22 a deadline for ever is one")
  void forEver() {
    try (SimBackend backend = backend(2);
        Scatter scatter = scatter(backend, ChronoUnit.FOREVER.getDuration())) {
      CountDownLatch running = new CountDownLatch(2);
      RuntimeException thrown =
          assertThrows(
              RuntimeException.class,
              () ->
                  scatter.run(
                      2,
                      tile -> {
                        running.countDown();
                        running.await();
                        if (tile.getIndex() == 1) {
                          throw mine;
                        }
                        while (!tile.isCancelled()) {
                          Thread.onSpinWait();
                        }
                      }));
      assertSame(mine, thrown);
    }
  }
}
