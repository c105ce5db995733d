package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.BudgetTooSmallException;
import org.vramkit.partition.plan.Partitioner;
import org.vramkit.partition.plan.Planner;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("S5: scatter")
class ScatterTest {
  private static final int UNITS = 1000;

  /** Squares of the units, computed by a kernel on the tile's stream. */
  private static TileTask squares(int[] result) {
    return tile -> {
      Tile units = tile.getTile();
      int bytes = Math.toIntExact(units.getUnits() * Integer.BYTES);
      SimStream stream = (SimStream) tile.getStream();
      long memory = tile.getDevice().getMemory().allocate(bytes);
      try {
        ByteBuffer values = ByteBuffer.allocate(bytes);
        for (long i = units.from(); i < units.to(); i++) {
          values.putInt((int) (i * i));
        }
        stream.launch(
            SimKernel.named("square")
                .writes(memory, bytes)
                .body(device -> device.write(memory, values.array()))
                .build());
        ByteBuffer back = ByteBuffer.allocate(bytes);
        stream.copyToHost(back, memory);
        for (long i = units.from(); i < units.to(); i++) {
          result[(int) i] = back.getInt();
        }
      } finally {
        stream.synchronize();
        tile.getDevice().getMemory().free(memory);
      }
    };
  }

  private static CpuTask squaresOnCpu(int[] result) {
    return (from, to) -> {
      for (long i = from; i < to; i++) {
        result[(int) i] = (int) (i * i);
      }
    };
  }

  private static int[] expected() {
    int[] squares = new int[UNITS];
    for (int i = 0; i < UNITS; i++) {
      squares[i] = i * i;
    }
    return squares;
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE})
  @DisplayName(
      "fewer than 0 units are the caller's mistake: no GPU failed, and the CPU does nothing")
  void negativeUnits(long units) {
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
  @DisplayName("what is missing is asked for by name where it should have been given")
  void missing() {
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

  private static void assertMissing(String name, Executable call) {
    assertEquals(name, assertThrows(NullPointerException.class, call).getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  @DisplayName("S5.5 every unit is done once, on its device, by a thread of that device")
  void allUnits(int devices) {
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
  void ownThreads() throws InterruptedException {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Set<Thread> threads = ConcurrentHashMap.newKeySet();
      TileTask task = tile -> threads.add(Thread.currentThread());
      // A thread is a daemon as the one that made it is, unless told.
      Thread caller = new Thread(() -> scatter.run(1, task));
      caller.setDaemon(false);
      caller.start();
      caller.join();
      // A pool of its own, as whoever joins the common one may run the call itself.
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
  void noUnits() {
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
  void noUnitsNoDevices() {
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
  @DisplayName("S5.4 units are rounded as the builder was told")
  void partitioner() {
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
  void noDevices() {
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
  void idleDevices() {
    try (SimBackend backend = backend(8);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      AtomicInteger calls = new AtomicInteger();
      scatter.run(3, tile -> calls.incrementAndGet());
      assertEquals(3, calls.get());
    }
  }

  @Test
  @DisplayName("14 a budget below one unit: the CPU, or an error with bytes needed and available")
  void budgetTooSmall() {
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend)).bytesPerUnit(5 * ByteSize.GIB).build()) {
      int[] result = new int[UNITS];
      assertTrue(scatter.run(UNITS, squaresOnCpu(result), squares(result)).onCpu());
      assertArrayEquals(expected(), result);
      BudgetTooSmallException e =
          assertThrows(BudgetTooSmallException.class, () -> scatter.run(1, squares(result)));
      assertEquals(4 * ByteSize.GIB, e.getAvailableBytes());
      assertEquals(5 * ByteSize.GIB, e.getRequestedBytes());
    }
  }

  @Test
  @DisplayName("13 tiles that do not fit at once are done in rounds")
  void rounds() {
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend)).bytesPerUnit(40 * ByteSize.MIB).build()) {
      int[] result = new int[UNITS];
      ScatterReport report = scatter.run(UNITS, squares(result));
      assertArrayEquals(expected(), result);
      assertTrue(report.tiles().size() > 2, report.toString());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("16 memory that is gone by the time of the run halves the tile until it fits")
  void memoryFalls() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      assertTrue(backend.getDevice(0).occupy(7 * ByteSize.GIB));
      List<Long> sizes = new ArrayList<>();
      ScatterReport report =
          scatter.run(
              16,
              tile -> {
                long bytes = tile.getTile().getUnits() * 256 * ByteSize.MIB;
                long memory = tile.getDevice().getMemory().allocate(bytes);
                sizes.add(tile.getTile().getUnits());
                tile.getDevice().getMemory().free(memory);
              });
      assertEquals(List.of(4L, 4L, 4L, 4L), sizes);
      assertEquals(3, report.halvings());
      assertClean(backend);
      backend.getDevice(0).vacate(7 * ByteSize.GIB);
    }
  }

  @Test
  @DisplayName("16, 14 one unit that does not fit ends in the CPU, not in endless halving")
  void oneUnitTooLarge() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      int[] result = new int[UNITS];
      TileTask greedy = tile -> tile.getDevice().getMemory().allocate(9 * ByteSize.GIB);
      ScatterReport report = scatter.run(UNITS, squaresOnCpu(result), greedy);
      assertTrue(report.onCpu());
      assertTrue(report.reason().contains("out of memory"), report.reason());
      assertArrayEquals(expected(), result);
      ScatterException e = assertThrows(ScatterException.class, () -> scatter.run(UNITS, greedy));
      assertInstanceOf(DeviceOutOfMemoryException.class, e.getCause());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("17 the user's own failure cancels the others, is thrown, and never goes to the CPU")
  void usersFailure() {
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
      "18 of two failures the lower tile's is thrown, the other suppressed, whoever is first")
  void twoFailures() {
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
        // The later one may be cancelled before it has begun; then there is but one failure.
        String primary = e.getSuppressed().length == 1 ? "tile 0" : "tile " + (2 - later);
        assertEquals(primary, e.getMessage());
      }
    }
  }

  @Test
  @DisplayName("19 a fatal error: the CPU does all once on the input as it was, and says restart")
  void fatal() {
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
  void moves() {
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
  void poison() {
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
  void errors(FailurePolicy policy) {
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
  @DisplayName(
      "22 an interrupted caller drains the tiles, keeps its flag, and leaves no thread behind")
  void interrupted() throws InterruptedException {
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
  void interruptedWorker() {
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
  void nested() {
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
  void twoAtOnce() throws InterruptedException {
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
  void deviceOfThread() {
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
  void binds() {
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
  @DisplayName("17 the user's failure is thrown even when the device cannot be left afterwards")
  void failingUnbind() {
    DeviceBinder stuck =
        device ->
            () -> {
              throw new DriverException("cannot leave device " + device.getOrdinal());
            };
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.builder(DevicePool.of(backend)).deviceBinder(stuck).build()) {
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
  void cannotBind() {
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

  @Test
  @DisplayName("A closed scatter does nothing more; one that runs is let to its end")
  void closed() throws InterruptedException {
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
  void closedBetweenRounds() {
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

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  @DisplayName("S5.5 ten million units take 1/devices of the virtual time, within 5 %")
  void scales(int devices) {
    double ideal = (double) virtualNanos(1) / devices;
    assertEquals(ideal, (double) virtualNanos(devices), 0.05 * ideal);
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
}
