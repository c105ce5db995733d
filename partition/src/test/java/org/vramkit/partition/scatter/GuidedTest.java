package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;
import static org.vramkit.partition.scatter.GuidedTasks.write;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: guided scatter")
class GuidedTest {
  private static final int UNITS = 1000;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  @DisplayName("S5.5 every unit is done once, by threads of its device, at most two at a time")
  void everyUnitIsDoneOnce(int devices) {
    try (SimBackend backend = backend(devices);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      Set<String> threads = ConcurrentHashMap.newKeySet();
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.guided(),
              tile -> {
                threads.add(Thread.currentThread().getName());
                assertTrue(
                    Thread.currentThread()
                        .getName()
                        .startsWith("vramkit-scatter-device-" + tile.getTile().ordinal()));
                assertEquals(tile.getTile().ordinal(), tile.getDevice().getOrdinal());
                assertFalse(tile.isCancelled());
                units.add(tile.getTile());
                write(tile);
              });
      units.assertEachOnce("guided");
      Units.assertCovered(report.tiles(), UNITS);
      assertTrue(threads.size() <= 2 * devices, threads.toString());
      assertFalse(report.onCpu());
      assertEquals("", report.reason());
      assertEquals(0, report.moves());
      assertTrue(report.getEfficiency() > 0 && report.getEfficiency() <= 1, report.toString());
      assertClean(backend);
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
              Schedule.guided(),
              tile -> {
                throw new AssertionError("called");
              });
      assertEquals(List.of(), report.tiles());
      assertEquals(0, report.getEfficiency());
      assertEquals(0, backend.getDriverCalls().getTotal());
    }
  }

  @Test
  @DisplayName(
      "2 without devices, the CPU does all units, or an error says that there is no device")
  void withoutDevicesTheCpuDoesAll() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend).without(List.of(0)))) {
      Units units = new Units(UNITS);
      ScatterReport report = scatter.run(UNITS, Schedule.guided(), units::add, tile -> {});
      assertTrue(report.onCpu());
      assertEquals(List.of(), report.tiles());
      assertTrue(report.reason().contains("no usable device"), report.reason());
      units.assertEachOnce("on the CPU");
      ScatterException e =
          assertThrows(
              ScatterException.class, () -> scatter.run(UNITS, Schedule.guided(), tile -> {}));
      assertTrue(e.toString().contains("no usable device"), e.toString());
    }
  }

  @Test
  @DisplayName("3 one device does everything, in order")
  void oneDeviceDoesAllInOrder() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      ScatterReport report = scatter.run(UNITS, Schedule.guided(), GuidedTasks::write);
      Units.assertCovered(report.getOrder(), UNITS);
      assertTrue(report.tiles().stream().allMatch(tile -> tile.ordinal() == 0));
    }
  }

  @Test
  @DisplayName("4 more devices than units: as many chunks as units, on the fastest devices")
  void fewUnitsGoToTheFastest() {
    try (SimBackend backend = backend(8);
        Scatter scatter =
            Scatter.over(
                DevicePool.of(backend.getDevices(), device -> device.getOrdinal() < 3 ? 9 : 1))) {
      CopyOnWriteArrayList<Integer> used = new CopyOnWriteArrayList<>();
      ScatterReport report =
          scatter.run(3, Schedule.guided(), tile -> used.add(tile.getTile().ordinal()));
      Units.assertCovered(report.tiles(), 3);
      assertTrue(used.stream().allMatch(ordinal -> ordinal < 3), used.toString());
    }
  }

  @Test
  @DisplayName("5 a score of 0 gets nothing, unless all have it")
  void scoreOfZeroGetsNothing() {
    try (SimBackend backend = backend(2);
        Scatter one =
            Scatter.over(DevicePool.of(backend.getDevices(), device -> device.getOrdinal()));
        Scatter none = Scatter.over(DevicePool.of(backend.getDevices(), device -> 0))) {
      ScatterReport report = one.run(UNITS, Schedule.guided(), GuidedTasks::write);
      assertTrue(report.tiles().stream().allMatch(tile -> tile.ordinal() == 1));
      ScatterReport even = none.run(UNITS, Schedule.guided(), GuidedTasks::write);
      assertEquals(
          Set.of(0, 1), even.tiles().stream().map(Tile::ordinal).collect(Collectors.toSet()));
      Units.assertCovered(even.tiles(), UNITS);
    }
  }

  @Test
  @DisplayName("7 scores of 1e-300 and 1e300: no unit is lost")
  void extremeScoresLoseNoUnit() {
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.over(
                DevicePool.of(
                    backend.getDevices(), device -> device.getOrdinal() == 0 ? 1e-300 : 1e300))) {
      Units.assertCovered(scatter.run(UNITS, Schedule.guided(), GuidedTasks::write).tiles(), UNITS);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 31, (1L << 53) + 1, (1L << 62) + 12345, Long.MAX_VALUE})
  @DisplayName("8 any number of units is covered exactly")
  void anyNumberIsCovered(long units) {
    try (SimBackend backend = backend(3);
        Scatter scatter =
            Scatter.over(
                DevicePool.of(backend.getDevices(), device -> device.getOrdinal() == 0 ? 3 : 1))) {
      Units.assertCovered(
          scatter.run(units, Schedule.guided().withMinChunkSize(units / 500), tile -> {}).tiles(),
          units);
    }
  }

  @Test
  @DisplayName("a least size of chunks is at least 1, and for guided scatters only")
  void leastSizeIsChecked() {
    assertThrows(InvalidArgumentException.class, () -> Schedule.guided().withMinChunkSize(0));
    assertThrows(InvalidArgumentException.class, () -> Schedule.planned().withMinChunkSize(2));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  @DisplayName("a rate that is given back has to be positive and finite")
  void wrongRatesAreRefused(double wrong) {
    assertThrows(InvalidArgumentException.class, () -> ThroughputHistory.of(Map.of("cpu", wrong)));
  }
}
