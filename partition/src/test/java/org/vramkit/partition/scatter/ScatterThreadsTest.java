package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;
import static org.vramkit.partition.scatter.Squares.UNITS;
import static org.vramkit.partition.scatter.Squares.expected;
import static org.vramkit.partition.scatter.Squares.squares;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: threads of a scatter, and its end")
class ScatterThreadsTest {
  @Test
  @DisplayName(
      "22 an interrupted caller drains the tiles, keeps its flag, and leaves no thread behind")
  void interruptEndsTheScatter() throws InterruptedException {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      CountDownLatch running = new CountDownLatch(2);
      AtomicInteger ended = new AtomicInteger();
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      AtomicInteger flag = new AtomicInteger();
      Thread caller =
          new Thread(
              () -> {
                try {
                  scatter.run(
                      2,
                      tile -> {
                        running.countDown();
                        while (!tile.isCancelled()) {
                          Thread.onSpinWait();
                        }
                        ended.incrementAndGet();
                      });
                } catch (ScatterException e) {
                  thrown.set(e);
                  flag.set(Thread.currentThread().isInterrupted() ? 1 : 0);
                }
              });
      caller.start();
      running.await();
      caller.interrupt();
      caller.join();
      assertTrue(String.valueOf(thrown.get()).contains("interrupted"), "" + thrown.get());
      assertEquals(2, ended.get());
      assertEquals(1, flag.get());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("22 a worker that is interrupted ends the scatter with that exception")
  void interruptedWorkerEndsTheScatter() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      ScatterException e =
          assertThrows(
              ScatterException.class,
              () ->
                  scatter.run(
                      2,
                      tile -> {
                        if (tile.getIndex() == 0) {
                          Thread.currentThread().interrupt();
                          Thread.sleep(1000);
                        }
                      }));
      assertInstanceOf(InterruptedException.class, e.getCause());
      scatter.run(2, tile -> {});
    }
  }

  @Test
  @DisplayName("23 a scatter inside its own tile is refused at once instead of waiting for itself")
  void nestedScatterIsRefused() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend));
        Scatter second = Scatter.over(DevicePool.of(backend))) {
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class, () -> scatter.run(1, tile -> scatter.run(1, t -> {})));
      assertTrue(e.toString().contains("second Scatter"), e.toString());
      AtomicInteger inner = new AtomicInteger();
      scatter.run(1, tile -> second.run(1, t -> inner.incrementAndGet()));
      assertEquals(1, inner.get());
    }
  }

  @Test
  @DisplayName("23 two threads scatter over the same devices at once")
  void twoScattersShareDevices() throws InterruptedException {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      AtomicInteger right = new AtomicInteger();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; i < 20; i++) {
                    int[] result = new int[UNITS];
                    scatter.run(UNITS, squares(result));
                    right.addAndGet(Arrays.equals(expected(), result) ? 1 : 0);
                  }
                });
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(80, right.get());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("24 each tile sees its own device, however often its thread was used before")
  void tileSeesItsDevice() {
    try (SimBackend backend = backend(3);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      for (int i = 0; i < 50; i++) {
        scatter.run(
            30,
            tile -> {
              assertSame(backend.getDevice(tile.getTile().ordinal()), tile.getDevice());
              assertSame(tile.getDevice(), tile.getStream().getDevice());
              assertEquals(
                  "vramkit-scatter-device-" + tile.getTile().ordinal(),
                  Thread.currentThread().getName());
            });
      }
      assertClean(backend);
    }
  }

  @Test
  @DisplayName(
      "24, S5.5 a device is bound on its worker around each tile, and the thread left as found")
  void deviceIsCurrentAroundTheTile() {
    ThreadLocal<Integer> current = ThreadLocal.withInitial(() -> -1);
    AtomicInteger foundBound = new AtomicInteger();
    DeviceBinder binder =
        device -> {
          int before = current.get();
          foundBound.addAndGet(before == -1 ? 0 : 1);
          current.set(device.getOrdinal());
          return () -> current.set(before);
        };
    try (SimBackend backend = backend(3);
        Scatter scatter = Scatter.builder(DevicePool.of(backend)).deviceBinder(binder).build()) {
      AtomicInteger right = new AtomicInteger();
      for (int i = 0; i < 10; i++) {
        scatter.run(
            3, tile -> right.addAndGet(current.get() == tile.getDevice().getOrdinal() ? 1 : 0));
        assertThrows(
            IllegalStateException.class,
            () ->
                scatter.run(
                    3,
                    tile -> {
                      throw new IllegalStateException("the thread is used again afterwards");
                    }));
      }
      assertEquals(30, right.get());
      assertEquals(0, foundBound.get());
    }
  }

  @Test
  @DisplayName("A closed scatter starts nothing more; a running one completes")
  void closeLetsRunningOnesEnd() throws InterruptedException {
    try (SimBackend backend = backend(1)) {
      Scatter scatter = Scatter.over(DevicePool.of(backend));
      CountDownLatch running = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      AtomicReference<ScatterReport> report = new AtomicReference<>();
      Thread caller =
          new Thread(
              () ->
                  report.set(
                      scatter.run(
                          1,
                          tile -> {
                            running.countDown();
                            release.await();
                          })));
      caller.start();
      running.await();
      Thread closer = new Thread(scatter::close);
      closer.start();
      TimeUnit.MILLISECONDS.sleep(20);
      release.countDown();
      closer.join();
      caller.join();
      assertEquals(1, Objects.requireNonNull(report.get()).tiles().size());
      assertThrows(ClosedException.class, () -> scatter.run(1, tile -> {}));
      scatter.close();
    }
  }

  @Test
  @DisplayName(
      "Closed between two rounds: the scatter ends with that error and leaves nothing behind")
  void closeBetweenRoundsEndsIt() {
    try (SimBackend backend = backend(1)) {
      Scatter scatter = Scatter.builder(DevicePool.of(backend)).bytesPerUnit(ByteSize.GIB).build();
      assertThrows(
          ClosedException.class,
          () ->
              scatter.run(
                  8,
                  tile -> {
                    tile.getStream();
                    // From inside a tile the close cannot wait for that tile.
                    assertThrows(ScatterException.class, scatter::close);
                  }));
      assertClean(backend);
    }
  }
}
