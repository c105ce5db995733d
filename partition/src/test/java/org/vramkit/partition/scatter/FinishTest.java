package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;
import static org.vramkit.partition.scatter.Gpus.device;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;

@DisplayName("S5: the end of a tile")
class FinishTest {

  /** Returns a device whose streams throw the same exception from every call. */
  private static Device throwing(RuntimeException each) {
    return device(
        () -> {
          throw each;
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("17 a stream that cannot be closed fails no scatter, whose units are done")
  void failingClose(Schedule schedule) {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      backend.getFaults().failEvery("cuStreamDestroy", Fault.UNKNOWN);
      ScatterReport report = scatter.run(100, schedule, tile -> tile.getStream());
      Units.assertCovered(report.tiles(), 100);
      backend.getFaults().clear();
      assertClean(backend);
    }
  }

  static List<Schedule> schedules() {
    return List.of(Schedule.planned(), Schedule.guided());
  }

  @Test
  @DisplayName("17 a stream that fails by the task's own exception again changes nothing about it")
  void sameExceptionAgain() {
    DriverException sick = new DriverException("sick");
    try (Scatter scatter = Gpus.scatter(throwing(sick))) {
      ScatterException thrown =
          assertThrows(
              ScatterException.class, () -> scatter.run(1, tile -> tile.getStream().synchronize()));
      assertSame(sick, thrown.getCause());
    }
    assertEquals(0, sick.getSuppressed().length);
  }

  @Test
  @DisplayName("17 a failure to restore the device does not replace the task's own exception")
  void sameExceptionOnLeaving() {
    IllegalStateException mine = new IllegalStateException("mine");
    DeviceBinder overdueChunks =
        device ->
            () -> {
              throw mine;
            };
    try (SimBackend backend = backend(1);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend)).deviceBinder(overdueChunks).build()) {
      IllegalStateException thrown =
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(
                      1,
                      tile -> {
                        throw mine;
                      }));
      assertSame(mine, thrown);
    }
  }

  @Test
  @DisplayName("17 an error on leaving a device does not replace what the task threw")
  void errorOnLeaving() {
    IllegalStateException mine = new IllegalStateException("mine");
    DeviceBinder overdueChunks =
        device ->
            () -> {
              throw new UnsatisfiedLinkError("no such function");
            };
    try (SimBackend backend = backend(1);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend)).deviceBinder(overdueChunks).build()) {
      Throwable thrown =
          assertThrows(
              Throwable.class,
              () ->
                  scatter.run(
                      1,
                      tile -> {
                        throw mine;
                      }));
      assertSame(mine, thrown);
      assertInstanceOf(UnsatisfiedLinkError.class, thrown.getSuppressed()[0]);
    }
  }

  @Test
  @DisplayName(
      "17 the CPU finds the elements of a chunk whose device cannot be restored as they were")
  void failureOnLeaving() {
    int[] ints = new int[100];
    DeviceBinder binder =
        device ->
            () -> {
              throw new FatalDeviceException("lost");
            };
    try (SimBackend backend = backend(1);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .allocators(OrderedAllocator.each())
                .deviceBinder(binder)
                .build()) {
      for (Schedule schedule : List.of(Schedule.planned(), Schedule.guided())) {
        Arrays.fill(ints, 0);
        ScatterArrays.of(ints)
            .run(
                scatter,
                schedule,
                (from, to) -> Arrays.setAll(ints, i -> i < from || i >= to ? ints[i] : ints[i] + 1),
                part -> part.getStream().fill(part.address(), (byte) 7, part.bytes()));
        assertArrayEquals(IntStream.generate(() -> 1).limit(100).toArray(), ints, "" + schedule);
      }
    }
  }

  @Test
  @DisplayName(
      "More: a tile that is kept beyond its end hands out no stream, which none would close")
  void keptBeyondEnd() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      List<TileContext> kept = new CopyOnWriteArrayList<>();
      scatter.run(1, kept::add);
      assertThrows(ClosedException.class, kept.get(0)::getStream);
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("22 an interrupted caller waits for devices before it has its flag again")
  void finishUndisturbed() {
    List<Boolean> flags = new ArrayList<>();
    Device device = device(() -> flags.add(Thread.currentThread().isInterrupted()));
    Thread caller = Thread.currentThread();
    Scatter scatter = Gpus.scatter(device);
    ScatterException e =
        assertThrows(
            ScatterException.class,
            () ->
                scatter.run(
                    1,
                    tile -> {
                      tile.getStream();
                      caller.interrupt();
                      while (!tile.isCancelled()) {
                        Thread.onSpinWait();
                      }
                    }));
    assertTrue(Thread.interrupted(), "the interrupt is lost");
    assertTrue(e.toString().contains("interrupted"), e.toString());
    assertEquals(0, e.getSuppressed().length, "all have ended");
    // One call waits for the stream, the other closes it.
    assertEquals(List.of(false, false), flags);
  }

  @Test
  @DisplayName("17 a scatter that is cancelled between two halves ends there")
  void cancelledBetweenHalves() {
    IllegalStateException mine = new IllegalStateException("mine");
    List<Tile> halves = new CopyOnWriteArrayList<>();
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      IllegalStateException thrown =
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(
                      8,
                      tile -> {
                        if (tile.getTile().getUnits() > 4) {
                          throw new DeviceOutOfMemoryException(1, DriverStatus.NONE);
                        }
                        halves.add(tile.getTile());
                        throw mine;
                      }));
      assertSame(mine, thrown);
    }
    assertEquals(List.of(new Tile(0, 0, 4)), halves);
  }
}
