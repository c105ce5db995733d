package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;
import static org.vramkit.partition.scatter.Gpus.device;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.DriverException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: the choice among several failures")
class FailureOrderTest {

  /** Returns the exception that a scatter throws if each tile fails with its own. */
  private static Throwable thrown(Throwable... failures) {
    try (SimBackend backend = backend(failures.length);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      CountDownLatch begun = new CountDownLatch(failures.length);
      Throwable thrown =
          assertThrows(
              Throwable.class,
              () ->
                  scatter.run(
                      failures.length,
                      tile -> {
                        begun.countDown();
                        begun.await();
                        Throwable mine = failures[tile.getIndex()];
                        if (mine instanceof Error error) {
                          throw error;
                        }
                        throw (Exception) mine;
                      }));
      assertClean(backend);
      return thrown;
    }
  }

  @Test
  @DisplayName("18, 21 an error goes before exceptions of lower tiles, which it tells")
  void errorsFirst() {
    Exception lower = new IllegalStateException("mine");
    Error error = new AssertionError("worse");
    Error later = new StackOverflowError("as bad, but of a higher tile");
    Throwable thrown = thrown(lower, error, later);
    assertSame(error, thrown);
    assertEquals(List.of(lower, later), List.of(thrown.getSuppressed()));
  }

  @Test
  @DisplayName(
      "18 the exception of the lowest tile is thrown, and the others are listed" + " in order")
  void lowestTileFirst() {
    Exception first = new IllegalStateException("0");
    Exception second = new DriverException("1");
    Exception third = new IllegalArgumentException("2");
    assertSame(first, thrown(first, second, third));
    assertEquals(List.of(second, third), List.of(first.getSuppressed()));
  }

  @Test
  @DisplayName("17 a failure at the end of a tile does not hide the failure of its task")
  void failuresAtTheEnd() {
    DriverException task = new DriverException("task");
    DriverException synchronize = new DriverException("synchronize");
    DriverException close = new DriverException("close");
    Deque<DriverException> ends = new ArrayDeque<>(List.of(synchronize, close));
    Device device =
        device(
            () -> {
              throw ends.remove();
            });
    try (Scatter scatter = Gpus.scatter(device)) {
      ScatterException thrown =
          assertThrows(
              ScatterException.class,
              () ->
                  scatter.run(
                      1,
                      tile -> {
                        tile.getStream();
                        throw task;
                      }));
      assertSame(task, thrown.getCause());
    }
    assertEquals(List.of(synchronize, close), List.of(task.getSuppressed()));
  }
}
