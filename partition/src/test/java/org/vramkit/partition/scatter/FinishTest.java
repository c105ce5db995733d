package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;
import static org.vramkit.partition.scatter.Gpus.device;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
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

  @Test
  @DisplayName(
      "17 a stream that cannot be closed fails its tile; streams of later tiles are closed")
  void failingClose() {
    try (SimBackend backend = backend(3);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      CountDownLatch all = new CountDownLatch(3);
      backend.getFaults().failNext("cuStreamDestroy", Fault.UNKNOWN);
      ScatterException e =
          assertThrows(
              ScatterException.class,
              () ->
                  scatter.run(
                      3,
                      tile -> {
                        tile.getStream();
                        all.countDown();
                        all.await();
                      }));
      assertInstanceOf(DriverException.class, e.getCause());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("17 a stream that cannot be closed fails no guided scatter, whose units are done")
  void failingCloseOfLane() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      backend.getFaults().failEvery("cuStreamDestroy", Fault.UNKNOWN);
      ScatterReport report = scatter.run(100, Schedule.guided(), tile -> tile.getStream());
      Units.assertCovered(report.tiles(), 100);
      backend.getFaults().clear();
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("17 a stream that fails by the task's own exception again changes nothing about it")
  void sameExceptionAgain() {
    DriverException sick = new DriverException("sick");
    TileRun run =
        new TileRun(
            new Tile(0, 0, 1),
            0,
            throwing(sick),
            each -> DeviceBinding.NONE,
            tile -> tile.getStream().synchronize(),
            new Progress());
    run.run();
    assertDoesNotThrow(run::finish);
    assertSame(sick, run.failure());
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
    Progress progress = new Progress();
    Thread caller = Thread.currentThread();
    TileTask task =
        tile -> {
          tile.getStream();
          caller.interrupt();
          while (!tile.isCancelled()) {
            Thread.onSpinWait();
          }
        };
    TileRun run =
        new TileRun(new Tile(0, 0, 1), 0, device, each -> DeviceBinding.NONE, task, progress);
    Round round = new Round(List.of(run), progress, Duration.ofSeconds(10));
    Workers workers = new Workers();
    ScatterException e = assertThrows(ScatterException.class, () -> round.perform(workers));
    workers.shutdown();
    assertTrue(Thread.interrupted(), "the interrupt is lost");
    assertTrue(e.toString().contains("all have ended"), e.toString());
    // One call waits for the stream, the other closes it.
    assertEquals(List.of(false, false), flags);
  }

  @Test
  @DisplayName("17 a tile is done when its task was called for all its units and nothing failed")
  void done() {
    assertTrue(ended(tile -> {}, false).isDone());
    assertFalse(ended(tile -> {}, true).isDone(), "cancelled before it began");
    assertFalse(
        ended(
                tile -> {
                  throw new DriverException("sick");
                },
                false)
            .isDone());
  }

  @Test
  @DisplayName("17 a tile that is cancelled between two halves ends there, and is not done")
  void cancelledBetweenHalves() {
    Progress progress = new Progress();
    List<Tile> halves = new ArrayList<>();
    TileTask halving =
        tile -> {
          if (tile.getTile().getUnits() > 4) {
            throw new DeviceOutOfMemoryException(1, DriverStatus.NONE);
          }
          halves.add(tile.getTile());
          progress.cancel();
        };
    TileRun run = run(halving, progress);
    run.run();
    run.finish();
    assertEquals(List.of(new Tile(0, 0, 4)), halves);
    assertFalse(run.isDone());
  }

  private static TileRun ended(TileTask task, boolean cancelled) {
    Progress progress = new Progress();
    if (cancelled) {
      progress.cancel();
    }
    TileRun run = run(task, progress);
    run.run();
    run.finish();
    return run;
  }

  private static TileRun run(TileTask task, Progress progress) {
    Device device = throwing(new DriverException("not wanted"));
    return new TileRun(new Tile(0, 0, 8), 0, device, each -> DeviceBinding.NONE, task, progress);
  }
}
