package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.awaitQuietly;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.BudgetTooSmallException;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;

@DisplayName("S5: guided scatter when things fail")
@SuppressWarnings("try") // scatters are closed early, so that leaks show
class GuidedFaultTest {
  private static final int UNITS = 1000;

  private static DriverException sick() {
    return new DriverException("sick");
  }

  @Test
  @DisplayName("19 what a device finished counts; what it did not is spread over all others")
  void oneDeviceFails() {
    try (SimBackend backend = backend(4);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      AtomicInteger calls = new AtomicInteger();
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided(),
              tile -> {
                boolean sick = tile.getTile().ordinal() == 2;
                if (sick && calls.incrementAndGet() > 3) {
                  throw sick();
                }
                while (!sick && calls.get() < 4) {
                  // The others leave it that many.
                  Thread.onSpinWait();
                }
                units.add(tile.getTile());
                GuidedTest.write(tile);
              });
      units.assertEachOnce("one device fails");
      Units.assertCovered(report.tiles(), UNITS);
      assertTrue(report.moves() > 0);
      assertEquals(List.of(2), scatter.getQuarantined());
      assertTrue(
          report.runs().stream().anyMatch(run -> run.attempt() == 2), report.runs().toString());
      assertEquals(
          3,
          report.runs().stream()
              .filter(run -> run.tile().ordinal() == 2)
              .filter(run -> run.outcome() == ChunkRun.Outcome.DONE)
              .count());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("19 a second device that fails later is treated the same")
  void twoDevicesFail() {
    try (SimBackend backend = backend(4);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      AtomicLong done = new AtomicLong();
      Set<Integer> failed = ConcurrentHashMap.newKeySet();
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided(),
              units::add,
              tile -> {
                int ordinal = tile.getTile().ordinal();
                // Each on units that are new.
                if (ordinal < 2 && done.get() > 300L * (ordinal + 1) && failed.add(ordinal)) {
                  throw sick();
                }
                units.add(tile.getTile());
                done.addAndGet(tile.getTile().getUnits());
              });
      units.assertEachOnce("two devices fail");
      Units.assertCovered(report.tiles(), UNITS);
      assertEquals(failed.stream().sorted().toList(), scatter.getQuarantined());
    }
  }

  @Test
  @DisplayName("20 units that fail on two devices are named, and the CPU does what is left")
  void poison() {
    try (SimBackend backend = backend(4);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      AtomicInteger failures = new AtomicInteger();
      TileTask task =
          tile -> {
            Tile own = tile.getTile();
            if (own.from() <= 500 && 500 < own.to()) {
              failures.incrementAndGet();
              throw sick();
            }
            units.add(own);
          };
      ScatterReport report = scatter.run(UNITS, Schedule.guided(), units::add, task);
      assertEquals(2, failures.get());
      units.assertEachOnce("poison");
      assertFalse(report.onCpu());
      assertTrue(report.reason().contains("failed on two devices"), report.reason());
      assertTrue(report.tiles().stream().anyMatch(tile -> tile.ordinal() == Tile.CPU));
      Units.assertCovered(report.tiles(), UNITS);
      assertEquals(2, scatter.getQuarantined().size());
      scatter.getQuarantined().forEach(scatter::release);
      ScatterException e =
          assertThrows(ScatterException.class, () -> scatter.run(UNITS, Schedule.guided(), task));
      assertTrue(e.toString().contains("failed on two devices"), e.toString());
      assertEquals(1, Objects.requireNonNull(e.getCause()).getSuppressed().length);
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("19 after a fatal error no device does anything more; the CPU does what is left")
  void fatal() {
    try (SimBackend backend = backend(3);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      AtomicLong done = new AtomicLong();
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided(),
              units::add,
              tile -> {
                if (done.addAndGet(tile.getTile().getUnits()) > 200) {
                  throw new FatalDeviceException("lost");
                }
                units.add(tile.getTile());
              });
      units.assertEachOnce("fatal");
      assertTrue(report.reason().contains("restart the process"), report.reason());
      ScatterException e =
          assertThrows(
              ScatterException.class,
              () ->
                  scatter.run(
                      UNITS,
                      Schedule.guided(),
                      tile -> {
                        throw new FatalDeviceException("lost");
                      }));
      assertInstanceOf(FatalDeviceException.class, e.getCause());
      assertTrue(e.toString().contains("restart the process"), e.toString());
    }
  }

  @Test
  @DisplayName("16 a chunk that finds no memory goes on in halves, and later chunks fit")
  void halves() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided().withLeast(100),
              tile -> {
                if (tile.getTile().getUnits() > 7) {
                  throw new DeviceOutOfMemoryException(1, DriverStatus.NONE);
                }
                units.add(tile.getTile());
              });
      units.assertEachOnce("halves");
      // 100 50 25 12 6, and once more for what the other lane had.
      assertTrue(report.halvings() >= 4 && report.halvings() <= 20, "" + report.halvings());
      assertEquals(List.of(), scatter.getQuarantined());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("16 one unit that finds no memory on a device goes to others, then to the CPU")
  void noMemoryForOne() {
    try (SimBackend backend = backend(3);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      Set<Integer> tried = ConcurrentHashMap.newKeySet();
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided(),
              units::add,
              tile -> {
                Tile own = tile.getTile();
                if (own.from() <= 7 && 7 < own.to()) {
                  if (own.getUnits() == 1) {
                    tried.add(own.ordinal());
                  }
                  throw new DeviceOutOfMemoryException(1, DriverStatus.NONE);
                }
                units.add(own);
              });
      units.assertEachOnce("no memory");
      assertEquals(Set.of(0, 1, 2), tried);
      assertTrue(report.tiles().contains(new Tile(Tile.CPU, 7, 8)), report.tiles().toString());
      assertEquals(List.of(), scatter.getQuarantined());
    }
  }

  @Test
  @DisplayName("13, 14 chunks fit two at a time into the budget; a device without is not asked")
  void budgets() {
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend)).bytesPerUnit(ByteSize.GIB).build();
        Scatter tooBig =
            Scatter.builder(DevicePool.of(backend)).bytesPerUnit(5 * ByteSize.GIB).build();
        Scatter single =
            Scatter.builder(DevicePool.of(backend)).bytesPerUnit(3 * ByteSize.GIB).build()) {
      long taken = backend.getDevice(1).getMemory().allocate(7 * ByteSize.GIB + ByteSize.MIB);
      Units units = new Units(UNITS);
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided(),
              tile -> {
                assertEquals(0, tile.getTile().ordinal());
                assertTrue(tile.getTile().getUnits() <= 2);
                units.add(tile.getTile());
              });
      units.assertEachOnce("budget");
      assertEquals(0, report.halvings());
      // Room for one unit: one chunk at a time.
      AtomicInteger atOnce = new AtomicInteger();
      single.run(
          20,
          Schedule.guided(),
          tile -> {
            assertEquals(1, atOnce.incrementAndGet());
            atOnce.decrementAndGet();
          });
      BudgetTooSmallException e =
          assertThrows(
              BudgetTooSmallException.class, () -> tooBig.run(9, Schedule.guided(), tile -> {}));
      assertTrue(e.toString().contains("5.00 GiB"), e.toString());
      backend.getDevice(1).getMemory().free(taken);
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("17 the user's failure is thrown; chunks under way end, no other is begun")
  void usersFailure() {
    IllegalStateException mine = new IllegalStateException("mine");
    try (SimBackend backend = backend(3);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      AtomicInteger running = new AtomicInteger();
      AtomicInteger begun = new AtomicInteger();
      assertSame(
          mine,
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(
                      UNITS,
                      Schedule.guided(),
                      (from, to) -> {
                        throw new AssertionError("covered up by the CPU");
                      },
                      tile -> {
                        running.incrementAndGet();
                        try {
                          if (begun.incrementAndGet() == 9) {
                            throw mine;
                          }
                          GuidedTest.write(tile);
                        } finally {
                          running.decrementAndGet();
                        }
                      })));
      assertEquals(0, running.get());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("18 of two failures that of the chunk dealt first is thrown, the other suppressed")
  void twoFailures() {
    CountDownLatch both = new CountDownLatch(2);
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(
                      2,
                      Schedule.guided(),
                      tile -> {
                        both.countDown();
                        awaitQuietly(both);
                        throw new IllegalStateException("" + tile.getIndex());
                      }));
      assertEquals("0", e.getMessage());
      assertEquals("1", e.getSuppressed()[0].getMessage());
    }
  }

  @Test
  @DisplayName("21 an error is thrown as it is, before exceptions")
  void errors() {
    CountDownLatch both = new CountDownLatch(2);
    StackOverflowError mine = new StackOverflowError("mine");
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      assertSame(
          mine,
          assertThrows(
              StackOverflowError.class,
              () ->
                  scatter.run(
                      2,
                      Schedule.guided(),
                      (from, to) -> {
                        throw new AssertionError("covered up by the CPU");
                      },
                      tile -> {
                        both.countDown();
                        awaitQuietly(both);
                        if (tile.getIndex() == 1) {
                          throw mine;
                        }
                        throw new IllegalStateException("other");
                      })));
    }
  }

  @Test
  @DisplayName("22 an interrupted caller stops issuing, waits for what runs, and stays interrupted")
  void interrupted() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Thread caller = Thread.currentThread();
      AtomicInteger running = new AtomicInteger();
      ScatterException e =
          assertThrows(
              ScatterException.class,
              () ->
                  scatter.run(
                      UNITS,
                      Schedule.guided(),
                      tile -> {
                        running.incrementAndGet();
                        caller.interrupt();
                        while (!tile.isCancelled()) {
                          Thread.onSpinWait();
                        }
                        running.decrementAndGet();
                      }));
      assertTrue(Thread.interrupted(), "the interrupt is lost");
      assertTrue(e.toString().contains("interrupted"), e.toString());
      assertEquals(0, running.get());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("22 a task that does not end in time is named; it closes its stream when it does")
  void hangs() {
    CountDownLatch both = new CountDownLatch(2);
    CountDownLatch release = new CountDownLatch(1);
    try (SimBackend backend = backend(2)) {
      try (Scatter scatter =
          Scatter.builder(DevicePool.of(backend)).drainDeadline(Duration.ofMillis(50)).build()) {
        ScatterException e =
            assertThrows(
                ScatterException.class,
                () ->
                    scatter.run(
                        2,
                        Schedule.guided(),
                        tile -> {
                          tile.getStream();
                          both.countDown();
                          awaitQuietly(both);
                          if (tile.getIndex() == 1) {
                            throw new Exception("checked");
                          }
                          awaitQuietly(release);
                        }));
        Throwable cause = Objects.requireNonNull(e.getCause());
        assertEquals("checked", cause.getMessage());
        assertTrue(cause.getSuppressed()[0].toString().contains("did not end within"));
        release.countDown();
        while (!backend.getLeaks().isEmpty()) {
          Thread.onSpinWait();
        }
      }
      assertClean(backend);
    }
  }

  /** A clock that can be put forward. */
  private static final class HandClock implements Pace {
    final AtomicLong now = new AtomicLong();

    @Override
    public long nanoTime() {
      return System.nanoTime() + now.get();
    }

    @Override
    public void await(Stream stream) {
      stream.synchronize();
    }
  }

  @Test
  @DisplayName("22 an overdue chunk of a repeatable task is done elsewhere, once, and named")
  void overdue() {
    CountDownLatch release = new CountDownLatch(1);
    HandClock clock = new HandClock();
    AtomicLong told = new AtomicLong();
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .pace(clock)
                .listener((range, finished, all) -> told.set(finished))
                .build()) {
      Units units = new Units(UNITS);
      AtomicInteger hung = new AtomicInteger();
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided().withDeadline(Duration.ofSeconds(1)),
              TileTask.repeatable(
                  tile -> {
                    if (tile.getTile().ordinal() == 1 && hung.incrementAndGet() == 3) {
                      while (told.get() < UNITS - tile.getTile().getUnits()) {
                        // Nothing else is to be overdue.
                        Thread.onSpinWait();
                      }
                      clock.now.addAndGet(Duration.ofSeconds(2).toNanos());
                      awaitQuietly(release);
                      return;
                    }
                    while (tile.getTile().ordinal() == 0 && hung.get() < 3) {
                      // The other one is to have its chunk.
                      Thread.onSpinWait();
                    }
                    units.add(tile.getTile());
                  }));
      units.assertEachOnce("overdue");
      Units.assertCovered(report.tiles(), UNITS);
      assertEquals(1, report.getOverdue().size());
      assertEquals(1, report.getOverdue().get(0).ordinal());
      release.countDown();
      scatter.close();
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("22 an overdue chunk that must not be done twice is waited for")
  void overdueOnce() {
    HandClock clock = new HandClock();
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.builder(DevicePool.of(backend)).pace(clock).build()) {
      Units units = new Units(UNITS);
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided().withDeadline(Duration.ofSeconds(1)),
              tile -> {
                clock.now.addAndGet(Duration.ofSeconds(2).toNanos());
                units.add(tile.getTile());
              });
      units.assertEachOnce("overdue");
      assertEquals(List.of(), report.getOverdue());
    }
    assertThrows(
        InvalidArgumentException.class, () -> Schedule.guided().withDeadline(Duration.ZERO));
  }

  @Test
  @DisplayName("19 quarantine is lifted after its time, or by call")
  void quarantine() {
    HandClock clock = new HandClock();
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .pace(clock)
                .quarantine(Duration.ofSeconds(60))
                .build()) {
      Schedule both = Schedule.recorded(List.of(new Tile(0, 0, 500), new Tile(1, 500, UNITS)));
      TileTask task =
          tile -> {
            if (tile.getTile().ordinal() == 1) {
              throw sick();
            }
          };
      scatter.run(UNITS, both, task);
      assertEquals(List.of(1), scatter.getQuarantined());
      assertTrue(
          scatter.run(UNITS, both, tile -> {}).tiles().stream()
              .allMatch(tile -> tile.ordinal() == 0));
      clock.now.addAndGet(Duration.ofSeconds(60).toNanos());
      assertEquals(List.of(), scatter.getQuarantined());
      scatter.run(UNITS, both, task);
      assertEquals(List.of(1), scatter.getQuarantined());
      scatter.release(1);
      assertEquals(List.of(), scatter.getQuarantined());
      ScatterBuilder builder = Scatter.builder(DevicePool.of(backend));
      assertThrows(InvalidArgumentException.class, () -> builder.quarantine(Duration.ZERO));
    }
  }

  @Test
  @DisplayName("a chunk whose thread is busy with another scatter's is done by a free device")
  void takenOver() throws InterruptedException {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Thread other =
          new Thread(
              () ->
                  scatter.run(
                      1,
                      Schedule.recorded(List.of(new Tile(0, 0, 1))),
                      tile -> {
                        busy.countDown();
                        awaitQuietly(release);
                      }));
      other.start();
      busy.await();
      Units units = new Units(UNITS);
      ScatterReport report =
          scatter.run(UNITS, Schedule.guided(), tile -> units.add(tile.getTile()));
      units.assertEachOnce("taken over");
      assertTrue(report.tiles().stream().allMatch(tile -> tile.ordinal() == 1), "" + report);
      release.countDown();
      other.join();
    }
  }

  @Test
  @DisplayName("close() during a scatter lets chunks under way end, and ends it")
  void closedWhileRunning() throws InterruptedException {
    try (SimBackend backend = backend(2)) {
      Scatter scatter = Scatter.over(DevicePool.of(backend));
      CountDownLatch begun = new CountDownLatch(2);
      CountDownLatch closing = new CountDownLatch(1);
      Thread closer =
          new Thread(
              () -> {
                awaitQuietly(begun);
                // Only the flag: the workers end after the chunks, which wait for this.
                Thread ending = new Thread(scatter::close);
                ending.start();
                while (ending.getState() != Thread.State.TIMED_WAITING) {
                  Thread.onSpinWait();
                }
                closing.countDown();
                try {
                  ending.join();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      closer.start();
      assertThrows(
          ClosedException.class,
          () ->
              scatter.run(
                  UNITS,
                  Schedule.guided(),
                  tile -> {
                    begun.countDown();
                    awaitQuietly(closing);
                  }));
      closer.join();
      assertThrows(ClosedException.class, () -> scatter.run(1, Schedule.guided(), tile -> {}));
      assertClean(backend);
    }
  }

  /** What a scatter of random faults must never do: lose a unit, or count it twice. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8})
  @DisplayName("17-21 random faults, 50 seeds: each unit counts once, nothing is leaked")
  void randomFaults(int devices) {
    for (long seed = 1; seed <= 50; seed++) {
      Random random = new Random(seed);
      FaultPlan plan = FaultPlan.NONE;
      for (String call : List.of("cuStreamSynchronize", "cuStreamCreate", "cuLaunchKernel")) {
        if (random.nextInt(3) > 0) {
          plan =
              plan.fail(
                  CallSelector.of(call).withProbability(random.nextDouble() * 0.2),
                  random.nextBoolean() ? Fault.UNKNOWN : Fault.OUT_OF_MEMORY);
        }
      }
      try (SimBackend backend = backend(devices);
          Scatter scatter = Scatter.over(DevicePool.of(backend))) {
        backend.getFaults().inject(plan);
        Units counted = new Units(UNITS);
        ScatterReport report =
            scatter.run(UNITS, Schedule.guided(), counted::add, GuidedTest::launch);
        report.runs().stream()
            .filter(run -> run.outcome() == ChunkRun.Outcome.DONE)
            .map(ChunkRun::tile)
            .filter(tile -> tile.ordinal() != Tile.CPU)
            .forEach(counted::add);
        counted.assertEachOnce("seed " + seed + ", " + plan);
        backend.getFaults().clear();
        scatter.close();
        assertEquals(List.of(), backend.getLeaks(), "seed " + seed);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(FailurePolicy.class)
  @DisplayName("a guided schedule moves only what is unfinished, whatever the policy")
  void anyPolicy(FailurePolicy policy) {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.builder(DevicePool.of(backend)).failurePolicy(policy).build()) {
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided(),
              tile -> {
                if (tile.getTile().ordinal() == 0) {
                  throw sick();
                }
              });
      assertTrue(report.tiles().stream().allMatch(tile -> tile.ordinal() == 1));
    }
  }
}
