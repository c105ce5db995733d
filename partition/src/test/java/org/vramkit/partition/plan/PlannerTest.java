package org.vramkit.partition.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: plans over a pool of devices")
class PlannerTest {

  static SimBackend backend(int devices) {
    SimBackend.Builder builder = SimBackend.builder();
    for (int i = 0; i < devices; i++) {
      builder.device(DeviceProfile.SMALL_8GIB);
    }
    return builder.build();
  }

  /**
   * Checks that the tiles cover the units in order, without gap or overlap, with one tile per
   * device and round.
   */
  private static void assertCovers(Plan plan) {
    long next = plan.from();
    for (List<Tile> round : plan.rounds()) {
      Set<Integer> busy = new HashSet<>();
      for (Tile tile : round) {
        assertEquals(next, tile.from());
        assertTrue(tile.getUnits() > 0);
        assertTrue(busy.add(tile.ordinal()), "device twice in a round");
        next = tile.to();
      }
    }
    assertEquals(plan.from() + plan.units(), next);
  }

  @Test
  @DisplayName("S5.3 tiles cover the units exactly, in device order, for any scores and counts")
  void covers() {
    SplittableRandom random = new SplittableRandom(53);
    for (int i = 0; i < 200; i++) {
      int devices = 1 + random.nextInt(8);
      try (SimBackend backend = backend(devices)) {
        double[] scores = random.doubles(devices, 0, 5).toArray();
        DevicePool pool =
            DevicePool.of(backend.getDevices(), device -> scores[device.getOrdinal()]);
        long units = random.nextLong(1, Long.MAX_VALUE / 2) >>> random.nextInt(62);
        Plan plan = Planner.DEFAULT.plan(pool, 1000, units);
        assertCovers(plan);
        assertEquals(1, units == 0 ? 1 : plan.rounds().size(), "seed 53, case " + i);
      }
    }
  }

  @Test
  @DisplayName("1, S5.3 no units make no tiles; 2 nor do no devices; 3 one device makes one tile")
  void edges() {
    try (SimBackend backend = backend(1)) {
      DevicePool pool = DevicePool.of(backend);
      assertEquals(List.of(), Planner.DEFAULT.plan(pool, 0).getTiles());
      assertEquals(List.of(), Planner.DEFAULT.plan(pool.without(List.of(0)), 5).getTiles());
      assertEquals(List.of(new Tile(0, 0, 5)), Planner.DEFAULT.plan(pool, 5).getTiles());
    }
  }

  @Test
  @DisplayName("8 2^63 - 1 units over 8 devices")
  void hugeCount() {
    try (SimBackend backend = backend(8)) {
      Plan plan = Planner.DEFAULT.plan(DevicePool.of(backend), Long.MAX_VALUE);
      assertCovers(plan);
      assertEquals(8, plan.getTiles().size());
    }
  }

  @Test
  @DisplayName("9 units beyond 2^63 - 1 are refused before anything is done")
  void beyondRange() {
    try (SimBackend backend = backend(2)) {
      DevicePool pool = DevicePool.of(backend);
      assertThrows(
          InvalidArgumentException.class, () -> Planner.DEFAULT.plan(pool, Long.MAX_VALUE, 1));
      assertThrows(InvalidArgumentException.class, () -> Planner.DEFAULT.plan(pool, -1));
      assertCovers(Planner.DEFAULT.plan(pool, Long.MAX_VALUE - 7, 7));
    }
  }

  @Test
  @DisplayName("13 units that do not fit at once are done in several rounds")
  void rounds() {
    try (SimBackend backend = backend(2)) {
      // Each device has a budget of 4 GiB: 4 units at a time.
      Planner planner = new Planner(Partitioner.FASTEST_FINISH, ByteSize.GIB);
      Plan plan = planner.plan(DevicePool.of(backend), 19);
      assertCovers(plan);
      assertEquals(3, plan.rounds().size());
      for (Tile tile : plan.getTiles()) {
        assertEquals(tile.getUnits() * ByteSize.GIB, planner.getBytes(tile));
        assertTrue(tile.getUnits() <= 4, plan.toString());
      }
    }
  }

  @Test
  @DisplayName("14 a device without room for one unit is skipped with the reason, all are an error")
  void budgetTooSmall() {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.SMALL_8GIB).build()) {
      DevicePool pool = DevicePool.of(backend);
      Plan plan = new Planner(Partitioner.FASTEST_FINISH, 5 * ByteSize.GIB).plan(pool, 3);
      assertCovers(plan);
      assertTrue(plan.getTiles().stream().allMatch(tile -> tile.ordinal() == 0));
      assertTrue(plan.skipped().get(0).contains("device 1"), plan.skipped().toString());
      BudgetTooSmallException e =
          assertThrows(
              BudgetTooSmallException.class,
              () -> new Planner(Partitioner.FASTEST_FINISH, 100 * ByteSize.GIB).plan(pool, 3));
      assertEquals(100 * ByteSize.GIB, e.getRequestedBytes());
      assertTrue(e.getAvailableBytes() > 60 * ByteSize.GIB);
    }
  }

  @Test
  @DisplayName("15 bytes of a tile that overflow are an error that names both factors")
  void bytesOverflow() {
    Planner planner = new Planner(Partitioner.FASTEST_FINISH, 1L << 40);
    InvalidArgumentException e =
        assertThrows(
            InvalidArgumentException.class, () -> planner.getBytes(new Tile(0, 0, 1L << 40)));
    assertTrue(e.toString().contains("1099511627776 units of 1099511627776"), e.toString());
    assertThrows(InvalidArgumentException.class, () -> new Planner(Partitioner.FASTEST_FINISH, -1));
  }

  @Test
  @DisplayName("10 ties go by ordinal, whatever the order of the list; changing it changes nothing")
  void stableOrder() {
    try (SimBackend backend = backend(3)) {
      List<Device> shuffled = new ArrayList<>(backend.getDevices());
      shuffled.add(0, shuffled.remove(2));
      DevicePool pool = DevicePool.of(shuffled, device -> 1);
      assertEquals(List.of(0, 1, 2), pool.getOrdinals());
      shuffled.clear();
      assertEquals(3, pool.getCount());
      assertEquals(
          List.of(4L, 3L, 3L),
          Planner.DEFAULT.plan(pool, 10).getTiles().stream().map(Tile::getUnits).toList());
    }
  }

  @Test
  @DisplayName("15 a tile or a plan of impossible numbers is rejected when it is created")
  void impossible() {
    assertThrows(InvalidArgumentException.class, () -> new Tile(-2, 0, 1));
    assertThrows(InvalidArgumentException.class, () -> new Tile(0, -1, 1));
    assertThrows(InvalidArgumentException.class, () -> new Tile(0, 1, 1));
    assertEquals("[0, 1) on the CPU", new Tile(Tile.CPU, 0, 1).toString());
    assertThrows(InvalidArgumentException.class, () -> new Plan(0, -1, List.of(), List.of()));
    assertThrows(InvalidArgumentException.class, () -> new Plan(-1, 0, List.of(), List.of()));
  }
}
