package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;
import static org.vramkit.partition.scatter.Squares.UNITS;
import static org.vramkit.partition.scatter.Squares.expected;
import static org.vramkit.partition.scatter.Squares.squares;
import static org.vramkit.partition.scatter.Squares.squaresOnCpu;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Partitioner;
import org.vramkit.partition.plan.Planner;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

@DisplayName("S5: scatter")
class ScatterTest {
  private static void assertMissing(String name, Executable call) {
    assertEquals(name, assertThrows(NullPointerException.class, call).getMessage());
  }

  private static long virtualNanos(int devices) {
    try (SimBackend backend = backend(devices);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      long begin = backend.getTimeNanos();
      scatter.run(
          10_000_000,
          tile ->
              ((SimStream) tile.getStream())
                  .launch(SimKernel.named("work").taking(10 * tile.getTile().getUnits()).build()));
      return backend.getTimeNanos() - begin;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE})
  @DisplayName(
      "fewer than 0 units are the caller's mistake: no GPU failed, and the CPU does nothing")
  void negativeUnitsAreRefused(long units) {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend));
        Scatter withoutGpus = Scatter.over(DevicePool.of(backend).without(List.of(0, 1)))) {
      TileTask task =
          tile -> {
            throw new AssertionError("a tile was begun");
          };
      CpuTask onCpu =
          (from, to) -> {
            throw new AssertionError("the CPU was asked");
          };
      for (Scatter each : List.of(scatter, withoutGpus)) {
        InvalidArgumentException e =
            assertThrows(InvalidArgumentException.class, () -> each.run(units, task));
        assertTrue(e.toString().contains("" + units), e.toString());
        assertThrows(InvalidArgumentException.class, () -> each.run(units, onCpu, task));
      }
      assertEquals(List.of(), scatter.getQuarantined());
    }
  }

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"})
  @DisplayName("a missing argument is named where it should have been passed")
  void nullsAreRefusedByName() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      ScatterBuilder builder = Scatter.builder(DevicePool.of(backend));
      assertMissing("pool", () -> Scatter.builder(null));
      assertMissing("way", () -> builder.partitioner(null));
      assertMissing("policy", () -> builder.failurePolicy(null));
      assertMissing("time", () -> builder.drainDeadline(null));
      assertMissing("task", () -> scatter.run(0, null));
      assertMissing("onCpu", () -> scatter.run(0, (CpuTask) null, tile -> {}));
      assertMissing("partitioner", () -> new Planner(null, 0));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  @DisplayName("S5.5 every unit is done once, on its device, by a thread of that device")
  void everyUnitIsDoneOnce(int devices) {
    try (SimBackend backend = backend(devices);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      int[] result = new int[UNITS];
      AtomicIntegerArray done = new AtomicIntegerArray(UNITS);
      Set<String> threads = ConcurrentHashMap.newKeySet();
      ScatterReport report =
          scatter.run(
              UNITS,
              tile -> {
                threads.add(Thread.currentThread().getName() + " " + tile.getDevice());
                assertFalse(tile.isCancelled());
                assertEquals(tile.getTile().ordinal(), tile.getDevice().getOrdinal());
                for (long i = tile.getTile().from(); i < tile.getTile().to(); i++) {
                  done.incrementAndGet((int) i);
                }
                squares(result).run(tile);
              });
      assertArrayEquals(expected(), result);
      for (int i = 0; i < UNITS; i++) {
        assertEquals(1, done.get(i), "unit " + i);
      }
      assertEquals(devices, threads.size());
      assertEquals(devices, report.tiles().size());
      assertFalse(report.onCpu());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("S5.6 tiles never run on threads of a work-stealing pool, nor on the caller's")
  void tilesRunOnOwnThreads() throws InterruptedException {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Set<Thread> threads = ConcurrentHashMap.newKeySet();
      TileTask task = tile -> threads.add(Thread.currentThread());
      // A thread inherits the daemon flag of its creator unless it is set.
      Thread caller = new Thread(() -> scatter.run(1, task));
      caller.setDaemon(false);
      caller.start();
      caller.join();
      // Not the common pool, where a thread that joins a task may run the call itself.
      ForkJoinPool stealing = new ForkJoinPool(2);
      AtomicReference<Thread> inside = new AtomicReference<>();
      stealing
          .submit(
              () -> {
                inside.set(Thread.currentThread());
                scatter.run(10, task);
              })
          .join();
      stealing.shutdown();
      assertTrue(inside.get() instanceof ForkJoinWorkerThread);
      assertFalse(threads.contains(inside.get()));
      assertFalse(threads.contains(caller));
      assertEquals(2, threads.size());
      assertTrue(threads.stream().noneMatch(thread -> thread instanceof ForkJoinWorkerThread));
      assertTrue(threads.stream().allMatch(Thread::isDaemon));
    }
  }

  @Test
  @DisplayName("1 no units: nothing is called, and no device is touched")
  void noUnitsTouchNoDevice() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      backend.getDriverCalls().reset();
      ScatterReport report =
          scatter.run(
              0,
              tile -> {
                throw new AssertionError("called");
              });
      assertEquals(List.of(), report.tiles());
      assertEquals(0, backend.getDriverCalls().getTotal());
    }
  }

  @Test
  @DisplayName("1, 2 no units are done without any device, and not by the CPU")
  void noUnitsNeedNoDevice() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend).without(List.of(0)))) {
      ScatterReport report =
          scatter.run(
              0,
              (from, to) -> {
                throw new AssertionError("the CPU was asked");
              },
              tile -> {
                throw new AssertionError("a tile was begun");
              });
      assertFalse(report.onCpu());
    }
  }

  @Test
  @DisplayName("S5.4 units are rounded by the builder's partitioner")
  void unitsAreRoundedAsTold() {
    try (SimBackend backend = backend(3)) {
      double[] scores = {6, 6, 2};
      DevicePool pool = DevicePool.of(backend.getDevices(), each -> scores[each.getOrdinal()]);
      for (Partitioner way : List.of(Partitioner.FASTEST_FINISH, Partitioner.LARGEST_REMAINDER)) {
        try (Scatter scatter = Scatter.builder(pool).partitioner(way).build()) {
          List<Tile> tiles = scatter.run(10, tile -> {}).tiles();
          long last = way == Partitioner.FASTEST_FINISH ? 1 : 2;
          assertEquals(last, tiles.get(2).getUnits(), tiles.toString());
        }
      }
    }
  }

  @Test
  @DisplayName("2 no device: the CPU does it, or an error says so")
  void withoutDevicesTheCpuDoesAll() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend).without(List.of(0)))) {
      int[] result = new int[UNITS];
      ScatterReport report = scatter.run(UNITS, squaresOnCpu(result), squares(result));
      assertTrue(report.onCpu());
      assertArrayEquals(expected(), result);
      ScatterException e =
          assertThrows(ScatterException.class, () -> scatter.run(UNITS, squares(result)));
      assertTrue(e.toString().contains("no usable device"), e.toString());
    }
  }

  @Test
  @DisplayName("4 more devices than units: idle devices are not called")
  void idleDevicesAreNotCalled() {
    try (SimBackend backend = backend(8);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      AtomicInteger calls = new AtomicInteger();
      scatter.run(3, tile -> calls.incrementAndGet());
      assertEquals(3, calls.get());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  @DisplayName("S5.5 ten million units take 1/devices of the virtual time, within 5 %")
  void timeFallsWithDevices(int devices) {
    double ideal = (double) virtualNanos(1) / devices;
    assertEquals(ideal, (double) virtualNanos(devices), 0.05 * ideal);
  }
}
