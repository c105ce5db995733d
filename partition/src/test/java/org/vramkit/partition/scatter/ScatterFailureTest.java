package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;
import static org.vramkit.partition.scatter.Squares.UNITS;
import static org.vramkit.partition.scatter.Squares.expected;
import static org.vramkit.partition.scatter.Squares.squares;
import static org.vramkit.partition.scatter.Squares.squaresOnCpu;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.error.DriverException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;

@DisplayName("S5: a scatter that fails")
class ScatterFailureTest {
  @Test
  @DisplayName("17 the user's own failure cancels the others, is thrown, and never goes to the CPU")
  void usersFailureIsThrown() {
    try (SimBackend backend = backend(4);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      IllegalStateException mine = new IllegalStateException("mine");
      AtomicInteger cancelled = new AtomicInteger();
      CountDownLatch others = new CountDownLatch(3);
      IllegalStateException thrown =
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(
                      UNITS,
                      (from, to) -> {
                        throw new AssertionError("covered up by the CPU");
                      },
                      tile -> {
                        tile.getStream();
                        if (tile.getIndex() == 2) {
                          others.await();
                          throw mine;
                        }
                        others.countDown();
                        while (!tile.isCancelled()) {
                          Thread.onSpinWait();
                        }
                        cancelled.incrementAndGet();
                      }));
      assertSame(mine, thrown);
      assertEquals(3, cancelled.get());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName(
      "18 of two failures the lower tile's is thrown, the other suppressed, in" + " either order")
  void lowestTilesFailureIsThrown() {
    try (SimBackend backend = backend(3);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      for (int later : new int[] {0, 2}) {
        CountDownLatch first = new CountDownLatch(1);
        RuntimeException e =
            assertThrows(
                RuntimeException.class,
                () ->
                    scatter.run(
                        3,
                        tile -> {
                          if (tile.getIndex() == 1) {
                            return;
                          }
                          if (tile.getIndex() == later) {
                            first.await();
                          } else {
                            first.countDown();
                          }
                          throw new IllegalStateException("tile " + tile.getIndex());
                        }));
        // The later tile may be cancelled before it has begun; then there is only one failure.
        String primary = e.getSuppressed().length == 1 ? "tile 0" : "tile " + (2 - later);
        assertEquals(primary, e.getMessage());
      }
    }
  }

  @Test
  @DisplayName("19 a fatal error: the CPU does all once on the input as it was, and says restart")
  void fatalErrorLeavesAllToTheCpu() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      int[] result = new int[UNITS];
      AtomicInteger onCpu = new AtomicInteger();
      backend.getFaults().failNth("cuLaunchKernel", 2, Fault.FATAL);
      ScatterReport report =
          scatter.run(
              UNITS,
              (from, to) -> {
                onCpu.incrementAndGet();
                squaresOnCpu(result).run(from, to);
              },
              squares(result));
      assertTrue(report.onCpu());
      assertEquals(1, onCpu.get());
      assertTrue(report.reason().contains("restart the process"), report.reason());
      assertArrayEquals(expected(), result);
    }
  }

  @Test
  @DisplayName("19 by moving: the tile is done by another device, the failed one gets no more work")
  void tileMovesToAnotherDevice() {
    try (SimBackend backend = backend(3);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .failurePolicy(FailurePolicy.MOVE_TILE)
                .build()) {
      int[] result = new int[UNITS];
      TileTask sick =
          tile -> {
            if (tile.getDevice().getOrdinal() == 1) {
              throw new DriverException("device 1 is sick");
            }
            squares(result).run(tile);
          };
      ScatterReport report = scatter.run(UNITS, sick);
      assertArrayEquals(expected(), result);
      assertEquals(1, report.moves());
      assertEquals(List.of(1), scatter.getQuarantined());
      assertEquals(List.of(0, 0, 2), report.tiles().stream().map(Tile::ordinal).toList());
      ScatterReport next = scatter.run(UNITS, sick);
      assertEquals(0, next.moves());
      assertEquals(2, next.tiles().size());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("20 a tile that fails on two devices is not tried on a third, and is named")
  void tileThatFailsTwiceIsNamed() {
    try (SimBackend backend = backend(4);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .failurePolicy(FailurePolicy.MOVE_TILE)
                .build()) {
      AtomicInteger tries = new AtomicInteger();
      ScatterException e =
          assertThrows(
              ScatterException.class,
              () ->
                  scatter.run(
                      4,
                      tile -> {
                        if (tile.getIndex() == 2) {
                          tries.incrementAndGet();
                          throw new DriverException("poison");
                        }
                      }));
      assertEquals(2, tries.get());
      assertTrue(e.toString().contains("tile [2, 3) on device 2"), e.toString());
      assertEquals(2, scatter.getQuarantined().size());
    }
  }

  @ParameterizedTest
  @EnumSource(FailurePolicy.class)
  @DisplayName("21 errors of the JVM and of assertions are thrown as they are, under any policy")
  void jvmErrorsAreThrown(FailurePolicy policy) {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.builder(DevicePool.of(backend)).failurePolicy(policy).build()) {
      for (Error error :
          List.of(new OutOfMemoryError("heap"), new StackOverflowError(), new AssertionError())) {
        Error thrown =
            assertThrows(
                Error.class,
                () ->
                    scatter.run(
                        4,
                        (from, to) -> {},
                        tile -> {
                          if (tile.getIndex() == 1) {
                            throw error;
                          }
                        }));
        assertSame(error, thrown);
      }
    }
  }

  @Test
  @DisplayName("17 the user's failure is thrown even when the device cannot be left afterwards")
  void failureOutlivesFailingUnbind() {
    DeviceBinder overdueChunks =
        device ->
            () -> {
              throw new DriverException("cannot leave device " + device.getOrdinal());
            };
    try (SimBackend backend = backend(1);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend)).deviceBinder(overdueChunks).build()) {
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(
                      1,
                      (from, to) -> {
                        throw new AssertionError("covered up by the CPU");
                      },
                      tile -> {
                        throw new IllegalStateException("mine");
                      }));
      assertEquals(1, e.getSuppressed().length);
    }
  }

  @Test
  @DisplayName("S5.5 a device that cannot be bound gives the whole batch to the CPU")
  void unboundDeviceLeavesAllToTheCpu() {
    DeviceBinder broken =
        device -> {
          throw new DriverException("cannot bind device " + device.getOrdinal());
        };
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.builder(DevicePool.of(backend)).deviceBinder(broken).build()) {
      int[] result = new int[UNITS];
      ScatterReport report = scatter.run(UNITS, squaresOnCpu(result), squares(result));
      assertTrue(report.onCpu() && report.reason().contains("cannot bind"), report.reason());
      assertArrayEquals(expected(), result);
    }
  }
}
