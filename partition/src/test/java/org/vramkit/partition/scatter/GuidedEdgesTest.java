package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;

@DisplayName("P25 A guided scatter where nothing goes as it was meant")
@Tag("own-schedules")
class GuidedEdgesTest {
  private static final Duration DEADLINE = Duration.ofMillis(10);

  /** Waits longer than the deadline. */
  private static void linger() {
    try {
      Thread.sleep(40);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("units that are late on every device are awaited, and nothing fails")
  void lateEverywhere() {
    try (SimBackend backend = backend(3);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      ScatterReport report =
          scatter.run(
              20, Schedule.guided().withDeadline(DEADLINE), TileTask.repeatable(tile -> linger()));
      Units.assertCovered(report.tiles(), 20);
      assertEquals(List.of(), scatter.getQuarantined());
    }
  }

  @Test
  @DisplayName("a late device keeps its units where the only other one has a score of 0")
  void lateBesideNone() {
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.over(
                DevicePool.of(backend.getDevices(), device -> device.getOrdinal() == 0 ? 1 : 0))) {
      ScatterReport report =
          scatter.run(
              5, Schedule.guided().withDeadline(DEADLINE), TileTask.repeatable(tile -> linger()));
      Units.assertCovered(report.tiles(), 5);
    }
  }

  @Test
  @DisplayName("chunks recorded for a device that has stopped are run by others")
  void recordedAndLate() {
    List<Tile> order =
        List.of(new Tile(0, 0, 5), new Tile(1, 5, 10), new Tile(0, 10, 15), new Tile(1, 15, 20));
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      ScatterReport report =
          scatter.run(
              20,
              Schedule.recorded(order).withDeadline(DEADLINE),
              TileTask.repeatable(
                  tile -> {
                    if (tile.getTile().equals(order.get(0))) {
                      linger();
                    }
                  }));
      Units.assertCovered(report.tiles(), 20);
    }
  }

  @Test
  @DisplayName(
      "rates of other work set no sizes: earlier cheap units do not make expensive ones one"
          + " chunk")
  void foreignRates() {
    try (SimBackend backend = backend(4);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      scatter.run(2_000_000_000L, Schedule.guided(), tile -> {});
      ScatterReport report = scatter.run(100, Schedule.guided(), tile -> linger());
      assertTrue(report.runs().size() > 4, report::toString);
    }
  }

  @Test
  @DisplayName("an exception of a listener ends the scatter, and no device is blamed")
  void listenerFails() {
    AtomicInteger ranges = new AtomicInteger();
    AtomicLong most = new AtomicLong();
    try (SimBackend backend = backend(2);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .listener(
                    (range, done, all) -> {
                      most.accumulateAndGet(done, Math::max);
                      if (ranges.incrementAndGet() == 3) {
                        throw new DriverException("from the listener");
                      }
                    })
                .build()) {
      assertThrows(DriverException.class, () -> scatter.run(1000, Schedule.guided(), tile -> {}));
      assertEquals(List.of(), scatter.getQuarantined());
      assertTrue(most.get() <= 1000, () -> "told " + most);
    }
  }

  @Test
  @DisplayName("a recorded order that is longer than the work is refused")
  void recordedTooLong() {
    List<Tile> order = List.of(new Tile(0, 0, 50), new Tile(1, 50, 100));
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Schedule recorded = Schedule.recorded(order);
      assertThrows(InvalidArgumentException.class, () -> scatter.run(60, recorded, tile -> {}));
    }
  }

  @Test
  @DisplayName("resumed chunks are recorded and repeat with the same ranges")
  void recordedResume() {
    List<Tile> finished = List.of(new Tile(0, 0, 30), new Tile(0, 20, 40), new Tile(9, 90, 100));
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      List<Tile> order =
          scatter.run(100, Schedule.guided().resume(finished), tile -> {}).getOrder();
      Schedule again = Schedule.recorded(order).resume(finished);
      assertEquals(order, scatter.run(100, again, tile -> {}).getOrder());
    }
  }

  @Test
  @DisplayName("a second resume adds to the first")
  void resumedTwice() {
    Schedule rest =
        Schedule.guided().resume(List.of(new Tile(0, 0, 30))).resume(List.of(new Tile(0, 50, 60)));
    Units units = new Units(100);
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      scatter.run(100, rest, tile -> units.add(tile.getTile()));
      assertEquals(0, units.get(0));
      assertEquals(0, units.get(55));
      assertEquals(1, units.get(99));
    }
  }
}
