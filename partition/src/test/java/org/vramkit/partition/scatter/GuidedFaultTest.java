package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;
import static org.vramkit.partition.scatter.GuidedFaults.HandClock;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
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
  @DisplayName("19 chunks that a device finished count; the rest is spread over all others")
  void failedDevicesUnitsGoToOthers() {
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
                  // The other devices wait until the failing one has begun enough chunks.
                  Thread.onSpinWait();
                }
                units.add(tile.getTile());
                GuidedTasks.write(tile);
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
  void secondFailureIsTreatedTheSame() {
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
                // Each device fails on units that have not failed before.
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
  void unitsThatFailTwiceAreNamed() {
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
  void fatalErrorLeavesTheRestToTheCpu() {
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
  @DisplayName("19 quarantine is lifted after its time, or by call")
  void quarantineIsLifted() {
    HandClock clock = new HandClock();
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .clock(clock)
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

  /** Checks that no unit is lost or counted twice under random faults. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8})
  @DisplayName("17-21 random faults, 50 seeds: each unit counts once, nothing is leaked")
  void eachUnitCountsOnceUnderRandomFaults(int devices) {
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
            scatter.run(UNITS, Schedule.guided(), counted::add, GuidedTasks::launch);
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
  void onlyUnfinishedUnitsMove(FailurePolicy policy) {
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
