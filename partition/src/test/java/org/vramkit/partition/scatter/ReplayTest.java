package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.FaultPlan;

@DisplayName("S5: recorded and resumed scatters")
class ReplayTest {
  private static final int UNITS = 600;

  /** Runs on devices of different speed, in virtual time. */
  private static ScatterReport timed(Schedule schedule) {
    try (SimBackend backend = backend(4, FaultPlan.NONE);
        VirtualClock clock = new VirtualClock(backend);
        Scatter scatter = Scatter.builder(DevicePool.of(backend)).clock(clock).build()) {
      return scatter.run(
          UNITS,
          schedule,
          tile -> {
            Tile own = tile.getTile();
            clock.launch(tile, own.getUnits() * 10_000 * (1 + own.ordinal()), 1);
          });
    }
  }

  @Test
  @Tag("virtual-time")
  @DisplayName("25 a recorded run replays identically: the same chunks, devices, order and times")
  void recorded() {
    ScatterReport first = timed(Schedule.guided());
    ScatterReport second = timed(Schedule.recorded(first.getOrder()));
    assertEquals(first.runs(), second.runs());
    assertEquals(first.nanos(), second.nanos());
    assertEquals(first.getOrder(), second.getOrder());
    assertEquals(first.runs(), timed(Schedule.guided()).runs(), "the same again");
  }

  @Test
  @DisplayName("25 a recorded order holds whatever the devices' speed is now")
  void recordedOnOthers() {
    List<Tile> order = timed(Schedule.guided()).getOrder();
    try (SimBackend backend = backend(4);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Map<Integer, Tile> byIndex = new HashMap<>();
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.recorded(order),
              tile -> {
                synchronized (byIndex) {
                  byIndex.put(tile.getIndex(), tile.getTile());
                }
              });
      assertEquals(order, report.getOrder());
      for (int i = 0; i < order.size(); i++) {
        assertEquals(order.get(i), byIndex.get(i));
      }
    }
  }

  @Test
  @DisplayName("19 chunks recorded for a device that fails or is missing go to the others")
  void recordedWithoutDevice() {
    List<Tile> order = timed(Schedule.guided()).getOrder();
    try (SimBackend backend = backend(4);
        Scatter fewer = Scatter.over(DevicePool.of(backend).without(List.of(3)));
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      fewer.run(UNITS, Schedule.recorded(order), tile -> units.add(tile.getTile()));
      units.assertEachOnce("missing");
      Units again = new Units(UNITS);
      ScatterReport report =
          scatter.run(
              UNITS,
              Schedule.recorded(order),
              tile -> {
                if (tile.getTile().ordinal() == 0) {
                  throw new DriverException("sick");
                }
                again.add(tile.getTile());
              });
      again.assertEachOnce("sick");
      Units.assertCovered(report.tiles(), UNITS);
    }
  }

  @Test
  @DisplayName("an order that misses a unit or has one twice is refused")
  void wrongOrders() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      for (List<Tile> order :
          List.of(
              List.of(new Tile(0, 0, 9)),
              List.of(new Tile(0, 0, 6), new Tile(0, 5, 10)),
              List.of(new Tile(0, 1, 10)),
              List.<Tile>of())) {
        InvalidArgumentException e =
            assertThrows(
                InvalidArgumentException.class,
                () -> scatter.run(10, Schedule.recorded(order), tile -> {}));
        assertTrue(e.toString().contains("each unit exactly once"), e.toString());
      }
    }
  }

  /** Returns thirty chunks, alternately on two devices. */
  private static List<Tile> thirty() {
    List<Tile> order = new ArrayList<>();
    for (int i = 0; i < UNITS; i += 20) {
      order.add(new Tile(i / 20 % 2, i, i + 20));
    }
    return order;
  }

  @Test
  @DisplayName("22 interrupted at any chunk and resumed: no unit is done twice, and none is missed")
  void resumed() {
    for (int stopAt = 1; stopAt <= 30; stopAt++) {
      List<Tile> finished = new ArrayList<>();
      Units units = new Units(UNITS);
      Thread caller = Thread.currentThread();
      int at = stopAt;
      ProgressListener checkpoint =
          (range, finishedUnits, all) -> {
            finished.add(range);
            if (finished.size() == at) {
              caller.interrupt();
            }
          };
      TileTask task =
          tile -> {
            units.add(tile.getTile());
            GuidedTasks.launch(tile);
          };
      try (SimBackend backend = backend(2);
          Scatter scatter = Scatter.builder(DevicePool.of(backend)).listener(checkpoint).build()) {
        try {
          scatter.run(UNITS, Schedule.recorded(thirty()), task);
        } catch (ScatterException e) {
          assertTrue(e.toString().contains("interrupted"), e.toString());
        }
        Thread.interrupted();
        scatter.run(UNITS, Schedule.guided().resume(List.copyOf(finished)), task);
        finished.sort(Comparator.comparingLong(Tile::from));
        Units.assertCovered(finished, UNITS);
        units.assertEachOnce("stopped at " + stopAt);
        assertClean(backend);
      }
    }
  }

  @Test
  @DisplayName(
      "22 after a crash at any chunk, what is done again was under way: four chunks at most")
  void resumedAfterCrash() {
    List<Tile> order = thirty();
    for (int crash = 0; crash <= 30; crash++) {
      List<Tile> told = new ArrayList<>();
      List<Integer> begunThen = new ArrayList<>();
      Set<Integer> begun = ConcurrentHashMap.newKeySet();
      int at = crash;
      try (SimBackend backend = backend(2);
          Scatter scatter =
              Scatter.builder(DevicePool.of(backend))
                  .listener(
                      (range, finishedUnits, all) -> {
                        if (told.size() < at) {
                          told.add(range);
                          begunThen.clear();
                          begunThen.addAll(begun);
                        }
                      })
                  .build()) {
        scatter.run(UNITS, Schedule.recorded(order), tile -> begun.add(tile.getIndex()));
        // Simulates the end of the process: only the reported ranges remain.
        List<Tile> redone = new ArrayList<>();
        scatter.run(
            UNITS,
            Schedule.recorded(order).resume(told),
            tile -> {
              synchronized (redone) {
                redone.add(tile.getTile());
              }
            });
        long again =
            redone.stream().filter(tile -> begunThen.contains(order.indexOf(tile))).count();
        assertTrue(again <= 4, "crash at " + crash + ": " + again + " chunks again");
        assertEquals(30 - told.size(), redone.size());
      }
    }
  }

  @Test
  @DisplayName("a planned scatter is resumed as well, over the gaps")
  void resumedPlanned() {
    try (SimBackend backend = backend(2);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      Units units = new Units(UNITS);
      List<Tile> finished =
          List.of(new Tile(0, 200, 300), new Tile(7, 250, 310), new Tile(1, 0, 9));
      units.add(200, 310);
      units.add(0, 9);
      scatter.run(UNITS, Schedule.planned().resume(finished), tile -> units.add(tile.getTile()));
      units.assertEachOnce("planned");
      InvalidArgumentException e =
          assertThrows(
              InvalidArgumentException.class,
              () -> scatter.run(300, Schedule.guided().resume(finished), tile -> {}));
      assertTrue(e.toString().contains("300 units"), e.toString());
      assertEquals(
          List.of(),
          scatter
              .run(
                  UNITS,
                  Schedule.guided().resume(List.of(new Tile(0, 0, UNITS))),
                  tile -> {
                    throw new AssertionError("called");
                  })
              .tiles());
    }
  }
}
